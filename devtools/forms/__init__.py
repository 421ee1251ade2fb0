"""Other forms of model files, made for tests. May import the engine; nothing imports it."""
