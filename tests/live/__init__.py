"""A wiki that changes while we look: the gadget in its editor, and what follows its changes."""
