"""What a binary answers when it is asked for its name and version."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import BrowserError

_ANSWER = re.compile(r"(chrom|headless).*\d+\.\d+\.\d+\.\d+", re.IGNORECASE)
_SECONDS, _VERSION_SECONDS = 20.0, 6.0


def ask(binary: Path, environment: Mapping[str, str]) -> str:
    """A line such as `Chromium 156.0.8078.108 built on Debian`; `BrowserError` with what it said instead.

    Headless shells up to 127 (133 answers) know no `--version`: they start, and end at once (92) or stay (111 on).
    Those are asked over DevTools' HTTP.
    """
    environment = {**os.environ, **environment}
    try:
        status, out, err = _ask_version(binary, environment)
    except OSError as error:
        raise BrowserError(f"{binary} does not start: {error.strerror}") from None
    if found := next((line for line in out.splitlines() if _ANSWER.search(line)), None):
        return found.strip()
    stays = status is None
    if (stays or (status == 0 and not out.strip())) and (found := _ask_running(binary, environment)):
        return found
    if stays:
        raise BrowserError(f"{binary} gave no answer to --version, and none on its DevTools port")
    said = (err.strip() or out.strip() or "nothing").splitlines()[-1]
    raise BrowserError(f"{binary} does not say that it is a Chromium: {said[:300]}")


def _ask_version(binary: Path, environment: Mapping[str, str]) -> tuple[int | None, str, str]:
    """Its status (None: it does not end), standard output and standard error."""
    process = subprocess.Popen(
        [str(binary), "--version", "--no-sandbox"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=_VERSION_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)
        return None, "", ""
    return process.returncode, out, err


def _kill(process: subprocess.Popen[Any]) -> None:
    """With its session, and wait for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _ask_running(binary: Path, environment: Mapping[str, str]) -> str | None:
    with tempfile.TemporaryDirectory(prefix="traceproof-probe-", ignore_cleanup_errors=True) as folder:
        command = [str(binary), "--headless", "--no-sandbox", "--no-zygote", "--disable-gpu"]
        command += ["--remote-debugging-port=0", f"--user-data-dir={folder}"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        try:
            return _browser_at(_devtools_port(process))
        finally:
            _kill(process)


def _devtools_port(process: subprocess.Popen[bytes]) -> int | None:
    """The port of the line `DevTools listening on ws://127.0.0.1:PORT/...` on its standard error."""
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    said, deadline = b"", time.monotonic() + _SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(process.stderr, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline - time.monotonic())):
            piece = process.stderr.read()
            if not piece:
                return None  # it ended
            said += piece
            if found := re.search(rb"DevTools listening on ws://[^:]+:(\d+)/", said):
                return int(found[1])
    return None


def _browser_at(port: int | None) -> str | None:
    if port is None:
        return None
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://127.0.0.1:{port}/json/version", timeout=_SECONDS) as answer:
            said = str(json.load(answer).get("Browser", ""))
    except (OSError, ValueError):
        return None
    return said if _ANSWER.search(said) else None
