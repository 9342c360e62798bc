"""Tools that never leave the machine of a developer."""
