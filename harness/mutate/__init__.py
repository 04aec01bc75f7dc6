"""Mutation testing of expectations on stored recordings: can what is claimed be refuted at all?"""

from harness.mutate.examine import examine
from harness.mutate.mutant import Must
from harness.mutate.result import CaseMutations, Mutations, Odd, Tally
from harness.mutate.shown import files

__all__ = ["CaseMutations", "Must", "Mutations", "Odd", "Tally", "examine", "files"]
