"""One module for each kind of expectation."""
