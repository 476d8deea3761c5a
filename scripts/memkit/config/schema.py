"""What can be set, and to what: a field's default gives its type, the tables below what is allowed.

Values of the read path are named tuples: a dataclass costs every reader a millisecond, and the first of them ten more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from memkit.model import Version

_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Memories(NamedTuple):
    """Codex's own keys with Codex's defaults. Days, hours and percent are whole numbers."""

    generate_memories: bool = True
    use_memories: bool = True
    disable_on_external_context: bool = False
    max_rollouts_per_startup: int = 2
    max_rollout_age_days: int = 10
    min_rollout_idle_hours: int = 6
    min_rate_limit_remaining_percent: int = 25
    max_raw_memories_for_consolidation: int = 256
    max_unused_days: int = 30
    extract_model: str = ""
    consolidation_model: str = ""
    dedicated_tools: bool = False


class SummaryBudget(NamedTuple):
    """How long memory_summary.md may be: strictly under max_bytes of UTF-8, at most max_tokens."""

    max_bytes: int = 10_000
    max_tokens: int = 2_500


class Hooks(NamedTuple):
    """commands: names of the programs after which `hooks install shell` lets memkit run."""

    commands: tuple[str, ...] = ("codex",)


class OpenAI(NamedTuple):
    """The model behind `engine: openai`. An empty base_url is the vendor's own, an empty effort is not sent."""

    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    api: Literal["auto", "responses", "chat"] = "auto"
    provider: str = "openai"
    providers: tuple[str, ...] = ()
    reasoning_effort: str = ""
    timeout_seconds: int = 600
    max_output_tokens: int = 16_000
    max_tokens_per_run: int = 2_000_000


class Consolidation(NamedTuple):
    """How a model consolidates: as an agent with tools, or by a single question, for small models."""

    mode: Literal["agent", "single"] = "agent"


class Config(NamedTuple):
    """Everything that can be set, and where it all lies. Both paths are absolute.

    disabled: MEMKIT_DISABLE asks that nothing be read or learned. warnings: one line each, for stderr and `status`.
    """

    home: Path
    codex_home: Path
    version: Version = "v2"
    dual_write: bool = False
    engine: Literal["offline", "openai", "auto"] = "offline"
    memories: Memories = Memories()
    sources: tuple[str, ...] = ("cli", "vscode", "atlas", "chatgpt")
    summary: SummaryBudget = SummaryBudget()
    consolidation: Consolidation = Consolidation()
    openai: OpenAI = OpenAI()
    hooks: Hooks = Hooks()
    disabled: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions that are kept, the one that is read first."""
        both: tuple[Version, ...] = ("v2", "v1") if self.version == "v2" else ("v1", "v2")
        return both if self.dual_write else (self.version,)

    @property
    def path(self) -> Path:
        """memkit.yaml of this home, whether or not it exists."""
        return self.home / FILE


FILE = "memkit.yaml"
GROUPS: Mapping[str, type[Memories | SummaryBudget | Consolidation | OpenAI | Hooks]] = {
    "memories": Memories,
    "summary": SummaryBudget,
    "consolidation": Consolidation,
    "openai": OpenAI,
    "hooks": Hooks,
}
ALIASES = {"memories.no_memories_if_mcp_or_web_search": "memories.disable_on_external_context"}
_NO_KEYS = ("home", "disabled", "warnings")
_DEFAULTS = {"codex_home": "~/.codex"}  # as the file would say it, where Config holds something else
_BETWEEN = {
    "memories.max_rollouts_per_startup": (1, 5_000),
    "memories.max_rollout_age_days": (0, 36_500),
    "memories.min_rollout_idle_hours": (0, 8_760),
    "memories.min_rate_limit_remaining_percent": (0, 100),
    "memories.max_raw_memories_for_consolidation": (1, 100_000),
    "memories.max_unused_days": (0, 36_500),
    "summary.max_bytes": (500, 1_000_000),
    "summary.max_tokens": (100, 1_000_000),
    "openai.timeout_seconds": (1, 86_400),
    "openai.max_output_tokens": (500, 1_000_000),
    "openai.max_tokens_per_run": (1, 1_000_000_000),
}
_CHOICES = {
    "version": ("v1", "v2"),
    "engine": ("offline", "openai", "auto"),
    "consolidation.mode": ("agent", "single"),
    "openai.api": ("auto", "responses", "chat"),
}
_PATHS = ("codex_home",)
_VARIABLES = ("openai.api_key_env",)  # keys that name an environment variable


class Leaf(NamedTuple):
    """One key: its dotted name, its default as the file would say it, and what is allowed."""

    name: str
    default: object
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    variable: bool = False

    @property
    def environment(self) -> str:
        """`MEMKIT_MEMORIES_MAX_UNUSED_DAYS`."""
        return "MEMKIT_" + self.name.replace(".", "_").upper()

    @property
    def allowed(self) -> str:
        """What is allowed, to follow the words `must be`."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a whole number from {self.low} to {self.high}"
        if isinstance(self.default, tuple):
            return "a list of names"
        if self.choices:
            return ", ".join(self.choices[:-1]) + f" or {self.choices[-1]}"
        return "the name of an environment variable" if self.variable else "text on one line"

    def checked(self, value: object) -> object:
        """The value as Config holds it, or ValueError when it is not allowed."""
        if isinstance(self.default, tuple):
            if isinstance(value, list | tuple) and all(_is_line(name) and name for name in value):
                return tuple(value)
        elif isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
        elif isinstance(self.default, int):
            if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
                return int(value)
        elif isinstance(value, str) and self._is_text(value):
            return value
        raise ValueError(self.allowed)

    def parsed(self, text: str) -> object:
        """The value of an environment variable, or ValueError. Names in a list are separated by commas."""
        if isinstance(self.default, tuple):
            return self.checked([name.strip() for name in text.split(",") if name.strip()])
        if isinstance(self.default, bool):
            return self.checked({**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}.get(text.strip().lower()))
        if isinstance(self.default, int):
            return self.checked(int(text) if re.fullmatch(r"\s*-?[0-9]{1,18}\s*", text) else None)
        return self.checked(text)

    def shown(self, value: object) -> str:
        """A refused value for an error message; what may be a key put in the wrong place is not shown."""
        if self.variable:
            return ""
        if isinstance(value, bool):
            return f", not {str(value).lower()}"
        if isinstance(value, list | tuple | dict):
            return f", not a {'group of keys' if isinstance(value, dict) else 'list'}"
        text = repr(value)
        return f", not {text if len(text) <= 60 else text[:59] + '…'}"

    def _is_text(self, value: str) -> bool:
        if self.choices:
            return value in self.choices
        if self.variable:
            return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
        # Bytes that are no UTF-8 come as halves of characters: they may stand in a path and in nothing that is sent.
        return _is_line(value) and (self.name in _PATHS or not re.search("[\ud800-\udfff]", value))


@cache
def leaves() -> Mapping[str, Leaf]:
    """Every key by its dotted name, in the order of the file."""
    found = {}
    for name in Config._fields:
        if name in GROUPS:
            group = GROUPS[name]._field_defaults
            found.update({f"{name}.{inner}": _leaf(f"{name}.{inner}", default) for inner, default in group.items()})
        elif name not in _NO_KEYS:
            found[name] = _leaf(name, _DEFAULTS.get(name, Config._field_defaults.get(name)))
    return found


def _leaf(name: str, default: object) -> Leaf:
    low, high = _BETWEEN.get(name, (0, 0))
    return Leaf(name, default, low, high, choices=_CHOICES.get(name, ()), variable=name in _VARIABLES)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and _CONTROL.search(value) is None
