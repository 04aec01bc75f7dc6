"""What a run leaves on disk: recordings with their provenance, and the ledger of verdicts (layout: `folder.py`)."""

from harness.store.atomic import write_atomic
from harness.store.folder import RecordingFiles, RunFolder, context_beside
from harness.store.ledger import Ledger, read_ledger
from harness.store.manifest import Manifest, machine_facts, sha256_file

__all__ = [
    "Ledger",
    "Manifest",
    "RecordingFiles",
    "RunFolder",
    "context_beside",
    "machine_facts",
    "read_ledger",
    "sha256_file",
    "write_atomic",
]
