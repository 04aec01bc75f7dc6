// Nothing to do: only its fetch counts.
