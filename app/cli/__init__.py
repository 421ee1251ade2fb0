"""The command line: one file a verb, what several verbs share in ``options``. Knows no window and no engine;
imports ``compare``, ``server``, ``client`` and what lies below, and no verb another one.
"""
