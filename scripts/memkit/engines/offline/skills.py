"""V1's skills: a command sequence that was verified in three or more sessions of one project."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memkit import clock, prompts
from memkit.documents.record import Body
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import titles

FOLDER = "skills"
SESSIONS = 3
_SHORTEST, _LONGEST, _MOST = 2, 6, 20
_MADE = "\nEach step succeeded in this order in "  # of the template
Sequence_ = tuple[str, ...]


def skills(read: Sequence[tuple[Source, Body]], inputs: Inputs) -> dict[str, str]:
    """SKILL.md by path. Of sequences that lie in one another the longest that is often enough stays."""
    seen: dict[tuple[str, Sequence_], dict[str, Source]] = {}
    for source, body in read:
        for task in body.tasks:
            project = inputs.project_of(task.project) if task.project else source.project
            commands = [b.verified[0] for b in task.labelled("verified") if b.verified[0]]
            for run in _runs(commands) if project else ():
                seen.setdefault((project or "", run), {})[source.record.session_id] = source
    often = {key: sources for key, sources in seen.items() if len(sources) >= SESSIONS}
    whole = {key: sources for key, sources in often.items() if not any(_within(key, other) for other in often)}
    files: dict[str, str] = {}
    ranked = sorted(whole.items(), key=lambda pair: (-len(pair[1]), -len(pair[0][1]), pair[0]))
    for (project, steps), sources in ranked[:_MOST]:
        name = _name(project, steps, taken=files)
        files[f"{FOLDER}/{name}/SKILL.md"] = _skill(name, project, steps, list(sources.values()))
    return dict(sorted(files.items()))


def own(path: str, text: str) -> bool:
    """Is a document a skill of this engine's making? What a person put beside them stays."""
    return path.startswith(f"{FOLDER}/") and path.endswith("/SKILL.md") and _MADE in text


def _runs(commands: Sequence[str]) -> set[Sequence_]:
    return {
        tuple(commands[at : at + size])
        for size in range(_SHORTEST, _LONGEST + 1)
        for at in range(len(commands) - size + 1)
        if len(set(commands[at : at + size])) == size
    }


def _within(key: tuple[str, Sequence_], other: tuple[str, Sequence_]) -> bool:
    small, large = key[1], other[1]
    inside = any(large[at : at + len(small)] == small for at in range(len(large) - len(small) + 1))
    return key[0] == other[0] and len(small) < len(large) and inside


def _name(project: str, commands: Sequence_, *, taken: dict[str, str]) -> str:
    words = [
        re.sub(r"[^a-z0-9]+", "-", " ".join(c.split()[:2]).lower()).strip("-") for c in (commands[0], commands[-1])
    ]
    base = "-".join([re.sub(r"[^a-z0-9]+", "-", project.rpartition("/")[2].lower()).strip("-"), *words]).strip("-")[:60]
    name, number = base or "procedure", 2
    while f"{FOLDER}/{name}/SKILL.md" in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def _skill(name: str, project: str, commands: Sequence_, sources: Sequence[Source]) -> str:
    newest = sorted(sources, key=lambda s: (s.record.updated_at, s.record.session_id), reverse=True)
    programs = " then ".join(titles.clip(c, max_chars=40) for c in commands)
    return prompts.skill(
        name=name,
        description=f"In {project} - {programs}",
        title=f"{commands[0].split()[0]} to {commands[-1].split()[0]} in {project}",
        when=f"work in {project} needs these commands in this order",
        commands=commands,
        sessions=[s.file for s in newest[:10]],
        last=clock.date(newest[0].record.updated_at),
    )
