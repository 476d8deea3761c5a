"""Data of the tests; the sample sessions are written by `python -m tests.data.make_samples`."""
