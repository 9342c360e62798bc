"""How a question changes the role: pure functions, without a clock, a store or a model."""
