"""Build the artifacts of the functions and run them as Lambda does, on this machine."""
