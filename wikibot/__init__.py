"""An assistant that learns from a wiki's links and proposes the missing ones."""

__version__ = "0.1.0"
