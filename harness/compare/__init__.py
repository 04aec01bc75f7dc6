"""What one set of recordings has that another has not, and the claims that depend on it."""

from harness.compare.depends import Dependents, dependents
from harness.compare.difference import Comparison, Difference, Presence, compare_sides
from harness.compare.jsonout import to_json
from harness.compare.sides import Side, read_side
from harness.compare.text import told

__all__ = [
    "Comparison",
    "Dependents",
    "Difference",
    "Presence",
    "Side",
    "compare_sides",
    "dependents",
    "read_side",
    "to_json",
    "told",
]
