"""A process for what others wrote and may never end: formulas to outlines, text out of PDFs.
Imports nothing of ours.
"""
