"""The window for developers: its pictures for the documentation, and its measurements.
May import all of app; nothing imports it but tests.
"""
