"""Files of models: found, judged, paired, fetched. Reads headers and never loads a model; no Qt, no engine.
Imports ``protocol`` and what lies below.
"""
