"""The frame of the window: pages side by side, rail, keys. Imports every room but ``failures``."""
