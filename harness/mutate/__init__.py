"""Mutation testing of expectations on stored recordings: can what is claimed be refuted at all?"""

from harness.mutate.examine import examine
from harness.mutate.result import CaseMutations, Mutations, Odd, Tally

__all__ = ["CaseMutations", "Mutations", "Odd", "Tally", "examine"]
