"""The JSON Schema of a line of the ledger, made from the records themselves."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.events import LedgerLine


def ledger_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of one line of `ledger.jsonl`; `type` says which of the records it is.

    A later version may add keys, so unknown ones are allowed; `schema` in the first line counts what breaks readers.
    """
    (line,), parts = msgspec.json.schema_components([LedgerLine], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a line of a ledger of traceproof",
        "description": "JSON Lines. The first is of the type `run`, the last of a whole ledger of the type `end`.",
        **line,
        "$defs": parts,
    }
