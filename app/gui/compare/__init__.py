"""The Compare page: sides, prompts, progress, verdict; its pictures in ``charts``.
Imports ``speed`` and what is below; no other page.
"""
