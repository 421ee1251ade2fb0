"""Whether it is faster: sides, trials, intervals, a verdict in words. Asks the engine through ``client``; no Qt.
Imports ``client``, ``settings`` and what lies below.
"""
