"""`python -m memkit`."""

from memkit.cli import main

if __name__ == "__main__":  # processes that share the work import this module
    main()
