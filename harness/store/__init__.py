"""What a run leaves on disk: recordings with their provenance, and the ledger of verdicts (layout: `folder.py`)."""

from harness.store.atomic import write_atomic
from harness.store.export import export
from harness.store.folder import RecordingFiles, RunFolder, context_beside, manifest_beside, safe_name, stored_traces
from harness.store.ledger import LEDGER, Ledger, in_use, is_whole, read_ledger, write_lines
from harness.store.manifest import Manifest, machine_facts, moment_of, now, sha256_file, without_home
from harness.store.metadata import devtools_metadata, stamp, with_metadata
from harness.store.objects import STORE, Entry, Store, find_store, link_or_copy
from harness.store.schema import ledger_schema
from harness.store.upkeep import Fault, Pruning, Use, plan_pruning, prune, uses, verify

__all__ = [
    "LEDGER",
    "STORE",
    "Entry",
    "Fault",
    "Ledger",
    "Manifest",
    "Pruning",
    "RecordingFiles",
    "RunFolder",
    "Store",
    "Use",
    "context_beside",
    "devtools_metadata",
    "export",
    "find_store",
    "in_use",
    "is_whole",
    "ledger_schema",
    "link_or_copy",
    "machine_facts",
    "manifest_beside",
    "moment_of",
    "now",
    "plan_pruning",
    "prune",
    "read_ledger",
    "safe_name",
    "sha256_file",
    "stamp",
    "stored_traces",
    "uses",
    "verify",
    "with_metadata",
    "without_home",
    "write_atomic",
    "write_lines",
]
