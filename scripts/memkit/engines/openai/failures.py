"""What the client's errors mean: for the whole run, for one session, or that the question was too long."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
import openai

from memkit import redact
from memkit.errors import EngineError, ModelError, TooLongError

if TYPE_CHECKING:
    from memkit.engines.openai.server import Settings

_SHOWN = 200


@contextmanager
def translated(settings: Settings, *, model: str, probing: bool = False) -> Iterator[None]:
    """Turns the client's errors into memkit's. probing: one that may come from the wrong API passes as it is."""
    try:
        yield
    except openai.APIStatusError as error:
        if probing and _wrong_api(error):
            raise
        raise _of_status(error, settings, model=model) from error
    except openai.APITimeoutError as error:
        if isinstance(error.__cause__, httpx2.ConnectTimeout):
            raise _unreachable(settings, "it does not answer") from error
        raise ModelError(f"no answer within {settings.timeout:g} seconds") from error
    except openai.APIConnectionError as error:
        cause = error.__cause__
        if isinstance(cause, httpx2.LocalProtocolError):  # its words would show the key
            raise _unsendable(settings) from error
        if isinstance(cause, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
            raise ModelError(f"the connection broke off ({type(cause).__name__})") from error
        raise _unreachable(settings, _said(str(cause or error))) from error
    except openai.APIResponseValidationError as error:
        raise ModelError(f"the server's answer can't be read: {_said(str(error))}") from error
    except UnicodeEncodeError as error:
        raise _unsendable(settings) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:  # said to be JSON
        raise ModelError(f"the server's answer can't be read: {_said(str(error))}") from error


def _wrong_api(error: openai.APIStatusError) -> bool:
    return _missing_path(error) or (error.status_code in (400, 422) and not _too_long(error))


def _missing_path(error: openai.APIStatusError) -> bool:
    """Does the server not know the API, rather than the model?"""
    return error.status_code in (405, 501) or (error.status_code == 404 and not _about_model(error))


def _of_status(error: openai.APIStatusError, settings: Settings, *, model: str) -> Exception:
    status, said = error.status_code, _said(_message(error))
    if status in (401, 403):
        return EngineError(
            f"the model's server refused the key ({status}): {said}",
            mend=f"put a valid key into the variable {settings.key_name}; openai.api_key_env names it",
        )
    if status == 404 and _about_model(error):
        return EngineError(
            f"the model's server does not know the model {model!r}: {said}",
            mend="set memories.extract_model and memories.consolidation_model",
        )
    if _missing_path(error) or 300 <= status < 400:
        return EngineError(
            f"{_place(settings)} does not speak this API ({status}): {said}", mend="set openai.base_url or openai.api"
        )
    if _too_long(error):
        return TooLongError(f"the question is too long for the model: {said}")
    if _code(error) in ("insufficient_quota", "billing_hard_limit_reached"):
        return EngineError(f"the model's server refuses more: {said}", mend="see to the account of this key")
    return ModelError(f"the model's server said {status}: {said}")


def _unreachable(settings: Settings, why: str) -> EngineError:
    return EngineError(
        f"the model's server {_place(settings)} can't be reached: {why}",
        mend="start it, or set openai.base_url, or engine: offline",
    )


def _unsendable(settings: Settings) -> EngineError:
    return EngineError(
        "the request can't be made: a key, or a header of it, holds what none may hold",
        mend=f"see to {settings.key_name}, OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS",
    )


def _place(settings: Settings) -> str:
    """The address without what it may hold of a password."""
    url = urlsplit(settings.base_url)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def _too_long(error: openai.APIStatusError) -> bool:
    if error.status_code == 413 or _code(error) == "context_length_exceeded":
        return True
    return error.status_code in (400, 422, 500) and _length_words().search(_message(error)) is not None


@cache
def _length_words() -> re.Pattern[str]:
    """How OpenAI, vLLM, llama.cpp, Ollama, TGI and gateways before them say it."""
    return re.compile(
        r"(?i)context[ _-]*(length|size|window)|maximum context|too many (input )?tokens|prompt is too long"
        r"|input is too long|(input|prompt)[^.]{0,40} exceeds?[^.]{0,40} (context|limit|maximum|tokens)"
    )


def _about_model(error: openai.APIStatusError) -> bool:
    return "model" in _code(error) or re.search(r"(?i)\bmodel\b", _message(error)) is not None


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        if isinstance(said, str) and said:
            kind = inner.get("type") if isinstance(inner, dict) else None
            return f"{said} ({kind})" if isinstance(kind, str) and kind else said
    return str(error.message)


def _code(error: openai.APIStatusError) -> str:
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else None
    code = inner.get("code") if isinstance(inner, dict) else None
    return code if isinstance(code, str) else ""


def _said(text: str) -> str:
    """Foreign words on one line, short, masked before they are cut."""
    flat = " ".join(redact.mask(text).split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"
