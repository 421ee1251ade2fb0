"""The panel and the plot of how fast an answer comes. Imports ``method`` and what is below."""
