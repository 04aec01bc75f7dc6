"""Named sets of trace categories, and the check that a browser knows what it is asked to record."""

from harness.categories.resolve import DISABLED, check, is_pattern, resolve
from harness.categories.sets import CategorySet, category_sets, known_categories, read_sets, set_schema

__all__ = [
    "DISABLED",
    "CategorySet",
    "category_sets",
    "check",
    "is_pattern",
    "known_categories",
    "read_sets",
    "resolve",
    "set_schema",
]
