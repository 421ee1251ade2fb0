"""The messages of a chat: one widget each, selected as one text. Imports ``markdown`` and what is below."""
