"""memkit: memory for coding agents, from their own session logs."""

from __future__ import annotations

__version__ = "0.1.0"


def lazily(namespace: dict[str, object], **modules: str) -> object:
    """The `__getattr__` of a package (PEP 562) whose names are imported when they are first asked for.

    A process pays for the modules that it uses, and `from memkit.store import Store` reads as ever. namespace: the
    package's globals. modules: a module of the package to the names that it gives, separated by spaces; its own name is
    the module itself. The package repeats them as imports under `if TYPE_CHECKING`, for mypy and for the test of the
    layers, which also holds the two lists together.
    """
    package = namespace["__name__"]
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = __import__(f"{package}.{homes[name]}", fromlist=(name,))
        value: object = home if homes[name] == name else getattr(home, name)
        namespace[name] = value
        return value

    return __getattr__
