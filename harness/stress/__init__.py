"""How sure a verdict is: a scenario many times, where it flips, what its numbers do, what differs when it fails."""

from harness.stress.jsonout import to_json
from harness.stress.study import Study, study, to_read
from harness.stress.text import told

__all__ = ["Study", "study", "to_json", "to_read", "told"]
