"""Whether it is faster: sides, trials, intervals, a verdict in words. Asks the engine through ``client``; no Qt."""
