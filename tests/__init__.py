"""The tests of memkit; a package, so that every test can import `tests.support`."""
