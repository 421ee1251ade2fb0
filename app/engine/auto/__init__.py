"""``auto``: what drafting costs and yields, and what is drafted next. Plain figures; knows no library."""
