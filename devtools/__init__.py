"""What ``dev.py`` is made of.

It imports the standard library, ``app.paths`` and ``app.errors`` alone, since it runs before anything is installed.
"""
