"""What a run leaves on disk: recordings with their provenance, and the ledger of verdicts (layout: `folder.py`)."""

from harness.store.atomic import write_atomic
from harness.store.folder import RecordingFiles, RunFolder, context_beside, manifest_beside, safe_name, stored_traces
from harness.store.ledger import LEDGER, Ledger, in_use, is_whole, read_ledger
from harness.store.manifest import Manifest, machine_facts, now, sha256_file, without_home

__all__ = [
    "LEDGER",
    "Ledger",
    "Manifest",
    "RecordingFiles",
    "RunFolder",
    "context_beside",
    "in_use",
    "is_whole",
    "machine_facts",
    "manifest_beside",
    "now",
    "read_ledger",
    "safe_name",
    "sha256_file",
    "stored_traces",
    "without_home",
    "write_atomic",
]
