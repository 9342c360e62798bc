"""What the functions share."""

__version__ = "0.1.0"
