"""What this computer is and how busy it is. Imports nothing of ours."""
