"""`python -m memkit`."""

from memkit.cli import main

main()
