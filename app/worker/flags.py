"""Behind the worker's own command line: what else than a worker the process is to be. Imports nothing."""

PROVE_FLAG = "--prove-engine"
"""It is to be tried whether an engine runs on this processor, which may end the process."""
ASK_FLAG = "--prove"
"""It is to tell the proofs of the engines that are named behind, and to make those that are missing."""
