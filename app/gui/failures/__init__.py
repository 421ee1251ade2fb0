"""What a person sees of a crash or a failure that nobody caught, and the report of it. Imports no page."""
