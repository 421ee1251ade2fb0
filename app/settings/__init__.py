"""What a person has set, and for what it holds: everything, a model, a chat. No Qt, no models, no processes;
imports ``methods`` and what lies below.
"""
