"""One command a file: parse, build what the stages need, call them, print. Loaded by name, when called."""
