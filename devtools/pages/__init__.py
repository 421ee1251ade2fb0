"""Pages of docs/ that are made from the program's own tables."""
