"""The command line: one file a verb, what several verbs share in ``options``. Knows no window and no engine."""
