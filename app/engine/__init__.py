"""Prompt in, tokens out: draft, verify, accept, roll back. Runs in the worker alone and knows no protocol,
no window and no file of models but what it is told to load.
"""
