"""The other end of the worker: no Qt, no engine. Imports ``protocol`` and what lies below."""
