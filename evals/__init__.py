"""How well roles are learned: scripted dialogues through the real pipeline, scored; see README.md."""
