"""The Models page, the picker and the welcome: what is here, what is elsewhere, what fits together.
Imports ``look``, ``controllers`` and ``words``; no other page.
"""
