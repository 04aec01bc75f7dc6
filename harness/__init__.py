"""traceproof: proves or refutes, on a real Chromium, what is documented about Chrome's trace events."""

__version__ = "0.1.0"
