"""Configuration to engine, and why. A model is used only when the user chose one, never because a key is set."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from memkit import tokens
from memkit.config import Config
from memkit.engines.base import Answers, Engine, Limits
from memkit.engines.offline import OfflineEngine
from memkit.errors import ConfigError

_VENDOR = "https://api.openai.com/v1"
_AT_ONCE = 8  # sessions (CODEX.md, "Which sessions stage 1 takes")


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine to make, once there is a place where answers are kept, and the reason in words."""

    make: Callable[[Answers], Engine]
    why: str


def pick(config: Config, *, env: Mapping[str, str]) -> Choice:
    """The engine that the configuration names; `auto` is the model where its key variable is set.

    Raises ConfigError when a model is chosen and can't be asked as things are.
    """
    key_name = config.openai.api_key_env
    if config.engine == "openai":
        return _model(config, env=env, why="engine: openai")
    if config.engine == "auto" and env.get(key_name, "").strip():
        return _model(config, env=env, why=f"engine: auto, and {key_name} is set")
    why = f"engine: auto, and {key_name} is not set" if config.engine == "auto" else "engine: offline"
    return Choice(lambda _answers: OfflineEngine(), why)


def is_loopback(base_url: str) -> bool:
    """Does the address stay on this machine?"""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _model(config: Config, *, env: Mapping[str, str], why: str) -> Choice:
    asked = config.openai
    base_url = asked.base_url or _VENDOR
    _check_address(config, base_url)
    here = is_loopback(base_url)
    key = env.get(asked.api_key_env, "").strip()  # of a file that was read whole, its last line break
    if not (key.isascii() and (key or "-").isprintable() and " " not in key):
        raise ConfigError(
            f"the variable {asked.api_key_env} holds no key: a key has no spaces, breaks or letters beyond ASCII",
            mend="export it again, or name another one with openai.api_key_env",
        )
    if not key and not here:
        raise ConfigError(
            f"the engine openai needs a key, and the variable {asked.api_key_env} is not set",
            mend="export it, name another one with openai.api_key_env, or set engine: offline",
        )
    limits = Limits(
        count=tokens.count,
        parallel=_AT_ONCE,
        remote=True,
        providers=None if here else frozenset({asked.provider, *asked.providers}),
    )

    def make(answers: Answers) -> Engine:
        from memkit.engines.openai import OpenAIEngine, Settings

        settings = Settings(
            base_url=base_url,
            api_key=key or "none",
            api=asked.api,
            key_name=asked.api_key_env,
            effort=asked.reasoning_effort,
            timeout=float(asked.timeout_seconds),
            here=here,
        )
        return OpenAIEngine(config=config, settings=settings, limits=limits, answers=answers)

    return Choice(make, f"{why}; {urlsplit(base_url).hostname}")


def _check_address(config: Config, base_url: str) -> None:
    """Refuses an address that is none, and one whose owner nobody named: sessions would go to it unasked."""
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and parts.port != 0 and not any(map(str.isspace, base_url))
        host = (parts.hostname or "").encode("idna" if sound else "ascii").decode()
    except ValueError:  # brackets, a port, a name that is none
        sound, host = False, ""
    if not (sound and host):
        raise ConfigError(f"{config.path}: openai.base_url must be an address such as http://localhost:8080/v1")
    vendors = host == "openai.com" or host.endswith(".openai.com")
    if not (is_loopback(base_url) or vendors) and config.openai.provider == "openai" and not config.openai.providers:
        raise ConfigError(
            f"{config.path}: openai.base_url leads to {host}, and openai.provider does not say whose that is",
            mend="set openai.provider to its name in session logs; openai.providers lists others it may get",
        )
