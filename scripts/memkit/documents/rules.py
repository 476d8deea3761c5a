"""rules.yaml: permanent rules, a person's own in the home, a team's in a repository. Comments and order are theirs.

rules:
  - id: run-tests-in-the-container
    text: Run the tests in the container.
    project: ~/work/orders-api        # a root or a remote; without it the rule holds everywhere
    glob: "*.py"
    origin: written                   # or promoted, with `claim` and `sessions`
    date: 2026-11-25
    why: The host has no database.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.tokens import TagToken

from memkit.documents import places, rules_text
from memkit.errors import ConfigError
from memkit.model import Rule

FILE = places.RULES
TEAM = ".memkit/rules.yaml"  # in a repository

_KEYS = tuple(field.name for field in fields(Rule))
MOST = 1 << 20  # bytes of a file
MOST_TEXT = 2_000  # characters of a rule
_HEAD = "# What always holds. Each rule is its owner's; `memkit agents write` puts them into AGENTS.md.\n"


def parse(text: str, *, path: Path) -> tuple[Rule, ...]:
    """The rules in their order. ConfigError names the file, the line and what is wrong there; path only names it."""
    root = _load(text, path=path)
    rules: list[Rule] = []
    for number, item in enumerate(_items(root, path=path)):
        line = root["rules"].lc.item(number)[0] + 1 if isinstance(root["rules"], CommentedSeq) else 0
        rule = _rule(item, where=f"{path}:{line}")
        if any(rule.id == other.id for other in rules):
            raise ConfigError(f"{path}:{line}: there are two rules {rule.id}")
        rules.append(rule)
    return tuple(rules)


def added(text: str, rule: Rule, *, path: Path) -> str:
    """The file's text with one more rule behind the last one; all else stays to the byte."""
    old = parse(text, path=path)
    new = rules_text.with_more(_bare(text), _mapping(rule)) if old else None
    if new is not None and _is(new, (*old, rule), path):
        return _marked(text, new)
    root = _load(text if text.strip() else _HEAD, path=path)
    _items(root, path=path).append(_mapping(rule))
    return _dump(root, text or _HEAD)


def changed(text: str, rule: Rule, *, path: Path, old_id: str = "") -> str:
    """The file's text with the rule of that id (old_id, where it gets another) as it is now; all else stays."""
    old = parse(text, path=path)
    at = next(number for number, each in enumerate(old) if each.id == (old_id or rule.id))
    values = {key: getattr(rule, key) or "" for key in _KEYS if getattr(rule, key) != getattr(old[at], key)}
    wanted = (*old[:at], rule, *old[at + 1 :])
    new = rules_text.with_values(_bare(text), at, values) if "sessions" not in values else None
    if new is not None and _is(new, wanted, path):
        return _marked(text, new)
    root = _load(text, path=path)
    item = _items(root, path=path)[at]
    for key, value in values.items():
        if value:
            item[key] = list(value) if isinstance(value, tuple) else value
        else:
            item.pop(key, None)
    return _dump(root, text)


def removed(text: str, rule_id: str, *, path: Path) -> str:
    """The file's text without a rule; all else stays to the byte."""
    old = parse(text, path=path)
    left = tuple(rule for rule in old if rule.id != rule_id)
    at = next(number for number, each in enumerate(old) if each.id == rule_id)
    new = rules_text.without(_bare(text), at)
    if new is not None and _is(new, left, path):
        return _marked(text, new)
    root = _load(text, path=path)
    del _items(root, path=path)[at]
    return _dump(root, text)


def cleaned(text: str, clean: Callable[[str], str], *, path: Path) -> str:
    """The file's text without erased words: a rule that says nothing else goes, another is kept without them.

    clean: what is left of a text. Raises ConfigError for a text that is no file of rules.
    """
    for rule in parse(text, path=path):
        left = clean(rule.text)
        if left != rule.text and not re.search(r"\w", left.replace("(forgotten)", "")):
            text = removed(text, rule.id, path=path)
            continue
        new = replace(
            rule,
            text=left,
            why=clean(rule.why),
            claim=clean(rule.claim),
            glob=rule.glob and (clean(rule.glob) or None),
            project=rule.project and (clean(rule.project) or None),
        )
        if any(clean(name) != name for name in (rule.id, rule.id.replace("-", " "))):
            new = replace(new, id=new_id(left, tuple(each.id for each in parse(text, path=path))))
        text = changed(text, new, path=path, old_id=rule.id) if new != rule else text
    return text


def _is(text: str, rules: tuple[Rule, ...], path: Path) -> bool:
    """Does a text say these rules?"""
    try:
        return parse(text, path=path) == rules
    except ConfigError:
        return False


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff")


def _marked(old: str, new: str) -> str:
    return "\ufeff" + new if old.startswith("\ufeff") else new


def new_id(text: str, taken: tuple[str, ...]) -> str:
    """A name for a rule, of its first words; words of no Latin letter or digit leave `rule`."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    stem = "-".join(words[:6])[:48].strip("-") or "rule"
    numbers = (stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in numbers if name not in taken)


def _yaml() -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4_096
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _load(text: str, *, path: Path) -> Any:
    if len(text.encode("utf-8", "surrogatepass")) > MOST:
        raise ConfigError(f"{path} is too large for a file of rules")
    try:
        text = _bare(text).replace("\r\n", "\n")
        _untagged(text, path=path)
        root = _yaml().load(text)
    except (YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise ConfigError(f"{where}: not valid YAML", mend="mend it in an editor") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: nested too deeply") from error
    if root is None:
        root = CommentedMap()
        if text.strip():
            root.yaml_set_start_comment("\n".join(line.lstrip("# ") for line in text.strip().splitlines()))
    if not isinstance(root, CommentedMap) or set(root) - {"rules"}:
        raise ConfigError(f"{path} must have one key, `rules`, with a list below it")
    return root


def _untagged(text: str, *, path: Path) -> None:
    """ConfigError for a tag: a rule is text, and what else a tag may make of it is not asked for."""
    if "!" in text:
        found = next((each for each in _yaml().scan(text) if isinstance(each, TagToken)), None)
        if found:
            line = found.start_mark.line + 1
            raise ConfigError(f"{path}:{line}: a rule has no YAML tag", mend="put quotes around what begins with `!`")


def _items(root: Any, *, path: Path) -> Any:
    if root.get("rules") is None:
        root["rules"] = CommentedSeq()
    items = root["rules"]
    if not isinstance(items, list) or not all(isinstance(each, CommentedMap) for each in items):
        raise ConfigError(f"{path}: `rules` must be a list of rules, each with `id` and `text`")
    return items


def _rule(item: Mapping[Any, Any], *, where: str) -> Rule:
    unknown = [str(key) for key in item if key not in _KEYS]
    if unknown:
        raise ConfigError(f"{where}: unknown key {unknown[0]}", mend=f"a rule has {', '.join(_KEYS)}")
    sessions = item.get("sessions") or []
    if not isinstance(sessions, list) or not all(isinstance(each, (str, int)) for each in sessions):
        raise ConfigError(f"{where}: sessions must be a list of ids")
    values = {key: _line(item.get(key), key=key, where=where) for key in _KEYS if key != "sessions"}
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", values["id"]):
        raise ConfigError(f"{where}: id must be lower-case words joined by `-`")
    if not values["text"]:
        raise ConfigError(f"{where}: the rule {values['id']} has no text")
    if values["origin"] not in ("", "written", "promoted"):
        raise ConfigError(f"{where}: origin must be written or promoted")
    return Rule(
        id=values["id"],
        text=values["text"],
        project=values["project"] or None,
        glob=values["glob"] or None,
        origin="promoted" if values["origin"] == "promoted" else "written",
        date=values["date"],
        why=values["why"],
        claim=values["claim"],
        sessions=tuple(str(each) for each in sessions),
    )


def _line(value: object, *, key: str, where: str) -> str:
    """A value as one line; a text that was folded over several is one."""
    plain = value is None or isinstance(value, (str, int, float, date))  # a list of lists may have no end
    text = " ".join(str(value).split()) if plain and value is not None else ""
    if not plain or len(text) > MOST_TEXT:
        raise ConfigError(f"{where}: {key} must be text of at most {MOST_TEXT:,} characters")
    return text


def _mapping(rule: Rule) -> CommentedMap:
    found = CommentedMap()
    for key in _KEYS:
        value = getattr(rule, key)
        if value:
            found[key] = list(value) if isinstance(value, tuple) else value
    return found


def _dump(root: Any, old: str) -> str:
    out = io.StringIO()
    _yaml().dump(root, out)
    text = out.getvalue()
    return _marked(old, text.replace("\n", "\r\n") if "\r\n" in old else text)
