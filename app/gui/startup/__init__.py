"""What is looked at or done before and just after the first picture. Imports no other room."""
