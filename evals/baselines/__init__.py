"""Other ways to learn a role, for comparison: on the same model, in the same run, by the same scorer."""
