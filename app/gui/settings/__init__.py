"""The settings dialog. It edits an ``app.settings.draft``; ``presenter`` carries that into effect.
Imports ``method`` and what is below; no page.
"""
