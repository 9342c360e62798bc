"""``make capacity``: what a turn takes, and what that costs."""
