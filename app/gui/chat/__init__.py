"""The Chat page around its transcript: header, list of conversations, composer, find bar.
Imports ``speed``, ``transcript`` and what is below; no other page.
"""
