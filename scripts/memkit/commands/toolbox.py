"""The tools that `memkit mcp` offers: their arguments, what they say of themselves, what they do.

Knows nothing of MCP. Each call reads configuration and memory anew, so that what changes meanwhile is seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.json import schema_components

from memkit import clock, tokens, tree
from memkit.commands import noting, tools
from memkit.commands.home import here
from memkit.config import Config, load
from memkit.errors import UsageError
from memkit.model import canonical
from memkit.stages import notes
from memkit.stages import search as stage

MAX_BYTES = 40_000  # of text in an answer, about 10,000 tokens: more comes page by page
_SHOWN = 20  # lines that a request to forget names

Where = Annotated[str, Meta(max_length=4_000)]
Cursor = Annotated[str, Meta(max_length=200, description="Where the last page ended; leave all else as it was.")]
Text = Annotated[str, Meta(min_length=1, max_length=1_000)]


class Call(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a call; subclasses are one tool's."""


class ListCall(Call, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `list`."""

    path: Annotated[Where, Meta(description="A folder of the memory; without one, its top.")] = ""
    max_entries: Annotated[int, Meta(ge=1, le=300)] = 200
    cursor: Cursor = ""


class ReadCall(Call, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `read`."""

    path: Annotated[Where, Meta(description="A file, as list and search name it.")]
    line: Annotated[int, Meta(ge=1, description="The first line to show, from 1.")] = 1
    max_lines: Annotated[int, Meta(ge=1)] = 500


class SearchCall(Call, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `search`."""

    texts: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=32, description="Substrings; no patterns.")]
    match: Annotated[
        Literal["any", "line", "lines"],
        Meta(description="any: lines with any of the texts. line: all on one line. lines: all within `within` lines."),
    ] = "any"
    within: Annotated[int, Meta(ge=1, le=50, description="For match `lines`.")] = 5
    case: Annotated[bool, Meta(description="Upper and lower case count.")] = False
    fold: Annotated[bool, Meta(description="Spaces and punctuation do not count.")] = False
    path: Annotated[Where, Meta(description="Only this file or folder.")] = ""
    context: Annotated[int, Meta(ge=0, le=20, description="Lines around each match.")] = 0
    max_matches: Annotated[int, Meta(ge=1, le=100)] = 20
    cursor: Cursor = ""


class NoteCall(Call, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of `add_note`."""

    kind: Literal["remember", "correct", "forget"]
    text: Annotated[str, Meta(min_length=1, max_length=20_000, description="What the user said, in their words.")]
    cwd: Annotated[Where, Meta(description="A directory of the project that it is for (default: this session's).")] = ""
    everywhere: Annotated[bool, Meta(description="For all projects: only if the user said so.")] = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool. call: its arguments. run: from a home (None: the default one) and a call to what is answered, as JSON."""

    name: str
    title: str
    about: str
    call: type[Call]
    run: Callable[[Path | None, Any], Mapping[str, object]]
    writes: bool = False

    def schema(self) -> dict[str, object]:
        """The arguments as a JSON Schema."""
        _, parts = schema_components([self.call])
        return {k: v for k, v in parts[self.call.__name__].items() if k not in ("title", "description")}


def toolbox() -> tuple[Tool, ...]:
    """All tools, in the order in which one looks further."""
    return (
        Tool(
            name="list",
            title="List the memory",
            about="List files and folders of the memory of earlier sessions. Names begin with the session's time.",
            call=ListCall,
            run=_list,
        ),
        Tool(
            name="read",
            title="Read the memory",
            about="Read lines of a file of the memory. `next` is the line to go on with, null at the end.",
            call=ReadCall,
            run=_read,
        ),
        Tool(
            name="search",
            title="Search the memory",
            about="Search the memory for words as they are written. memory_summary.md comes first, then the newest"
            " sessions. Read around a match, or read its file, when details could change the answer.",
            call=SearchCall,
            run=_search,
        ),
        Tool(
            name="add_note",
            title="Note for the memory",
            about="Note what the user asks to remember, to correct or to forget; only when the user asks for it. It"
            " changes nothing at once: the next run of memkit takes it into the memory.",
            call=NoteCall,
            run=_note,
            writes=True,
        ),
    )


def answer(name: str, arguments: Mapping[str, object], *, home: Path | None) -> Mapping[str, object]:
    """What a tool answers, as JSON: of list, read and search the same as with `--json`.

    An argument that is null counts as left out. Raises UsageError for arguments that are off, and what the tool raises.
    """
    tool = next((each for each in toolbox() if each.name == name), None)
    if tool is None:
        raise UsageError(f"there is no tool {name[:80]!r}", mend="tools/list names them")
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        canonical(given).encode()
        call = convert(given, tool.call, strict=False)
    except ValidationError as error:
        raise UsageError(f"{name}: {str(error)[:300]}", mend="tools/list has its arguments") from error
    except UnicodeEncodeError as error:
        raise UsageError(f"{name}: a text is no valid Unicode", mend="send it as UTF-8") from error
    return tool.run(home, call)


def _config(home: Path | None) -> Config:
    config = load(home=home, env=os.environ)
    if config.disabled:
        raise UsageError("MEMKIT_DISABLE is set: nothing is told or noted", mend="the user may unset it")
    return config


def _place(home: Path | None) -> tools.Place:
    config = _config(home)
    if not config.memories.use_memories:
        raise UsageError("reading is switched off (memories.use_memories)", mend="the user may switch it on")
    return tools.there(config.home, tree.TREES[config.version])


def _list(home: Path | None, call: ListCall) -> Mapping[str, object]:
    at = _place(home)
    found = stage.list_files(home=at.home, folder=at.folder, path=call.path, most=call.max_entries, cursor=call.cursor)
    return {**asdict(found), "cursor": found.cursor or None}


def _read(home: Path | None, call: ReadCall) -> Mapping[str, object]:
    at = _place(home)
    page = stage.read(
        home=at.home, folder=at.folder, path=call.path, line=call.line, most=call.max_lines, max_bytes=MAX_BYTES
    )
    return asdict(page)


def _search(home: Path | None, call: SearchCall) -> Mapping[str, object]:
    at = _place(home)
    query = stage.Query(
        texts=call.texts,
        within={"any": None, "line": 1, "lines": call.within}[call.match],
        any_case=not call.case,
        any_punctuation=call.fold,
        path=call.path,
        context=call.context,
        most=call.max_matches,
        cursor=call.cursor,
    )
    found = stage.search(home=at.home, folder=at.folder, query=query)
    room = _fitting(found)
    if room < len(found.matches):
        found = stage.search(home=at.home, folder=at.folder, query=replace(query, most=room))
    return {"matches": [asdict(each) for each in found.matches], "cursor": found.cursor or None}


def _fitting(found: stage.Found) -> int:
    """How many of the matches an answer holds: one at least."""
    room = MAX_BYTES
    for number, each in enumerate(found.matches):
        room -= tokens.byte_length(canonical(asdict(each)))
        if room < 0:
            return max(number, 1)
    return len(found.matches)


def _note(home: Path | None, call: NoteCall) -> Mapping[str, object]:
    config = _config(home)
    tools.there(config.home, tree.TREES[config.version])
    project = _scope(config, call)
    named = _named(config, call.text, project) if call.kind == "forget" else None
    written = notes.write(config=config, kind=call.kind, text=call.text, project=project, now=clock.now())
    said: dict[str, object] = {"id": written.id, "kind": written.kind, "text": written.text, "project": project}
    return said if named is None else {**said, "matches": named}


def _scope(config: Config, call: NoteCall) -> str | None:
    """The project that a note is for, None for everywhere."""
    if call.everywhere and call.cwd:
        raise UsageError("a note is for the project of cwd or, with everywhere, for all: not both")
    if call.everywhere or (call.kind == "forget" and not call.cwd):
        return None
    if call.cwd and (not call.cwd.startswith("/") or not call.cwd.isprintable()):
        raise UsageError(f"{call.cwd[:200]!r} is no directory", mend="cwd is an absolute path")
    directory = call.cwd or here()
    found = noting.projects(config)(os.path.normpath(directory))
    if found is None:
        raise UsageError(f"{directory} is no project", mend="give cwd, or ask the user whether it holds everywhere")
    return found


def _named(config: Config, text: str, project: str | None) -> list[Mapping[str, object]]:
    """The lines that a request to forget names, as far as the memory may be read."""
    if not config.memories.use_memories:
        return []
    files = tree.read_tree(config.home / tree.TREES[config.version]).files
    found = notes.matches(files=files, text=text, project=project, project_of=noting.projects(config))
    return [{"path": each.file, "line": each.line, "text": each.text} for each in found[:_SHOWN]]
