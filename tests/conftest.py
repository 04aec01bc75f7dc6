"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing of the code.
settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lab")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named after their argument: what is compressed holds the hour, and all workers must agree on names."""
    return argname if isinstance(val, bytes) else None
