"""All that is said in the window's language: figures, names, sentences. Imports no other room."""
