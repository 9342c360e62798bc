"""The whole system on one machine: the real template and handlers, AWS played by an emulator."""
