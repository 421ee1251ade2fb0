"""Other programs on the same files and machine, to be measured against. See docs/benchmarks.md."""
