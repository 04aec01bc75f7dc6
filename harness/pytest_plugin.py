"""The pytest plugin of traceproof."""
