"""The switch of speculation and the form of a method. Imports ``look`` and ``words``."""
