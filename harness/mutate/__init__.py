"""Mutation testing of expectations on stored recordings: can what is claimed be refuted at all?"""

from harness.mutate.examine import examine
from harness.mutate.mutant import Must
from harness.mutate.result import CaseMutations, Mutations, Odd, Tally
from harness.mutate.seen import Known, documented
from harness.mutate.shown import files
from harness.mutate.shrink import Shrunk, shrink

__all__ = [
    "CaseMutations",
    "Known",
    "Must",
    "Mutations",
    "Odd",
    "Shrunk",
    "Tally",
    "documented",
    "examine",
    "files",
    "shrink",
]
