"""Running scenarios: plan, attempts, validity gate, verdicts. What comes out is a ledger and a `RunResult`."""
