"""memkit: memory for coding agents, from their own session logs."""

__version__ = "0.1.0"
