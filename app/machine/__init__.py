"""What this computer is and how busy it is. Imports nothing of ours but errors, paths and records."""
