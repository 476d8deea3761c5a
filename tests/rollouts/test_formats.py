"""A small file of every format that was seen, and what it must yield (tests/data/make_formats.py writes them)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.model import Item, Session, Tier
from memkit.rollouts.decode import Decoder
from memkit.rollouts.find import Found, Problem, find, find_in, head, segments
from tests.data import make_formats
from tests.data.make_formats import FORMATS, PAGES, THREAD
from tests.support.rollouts import Rollout

WORK = ["human user: Fix the retry.", "tool: pytest -q", "tool: exit 0 1 passed", "assistant final: Fixed."]
OLD = ["human user: Fix the retry.", "tool: ls", "tool: exit 0 a.py", "assistant final: Fixed."]

# folder: (rows without harness context, directory, bad lines)
TABLE: dict[str, tuple[list[str], str, int]] = {
    "bare/rollout-2025-06-01": (OLD, "/home/dev/old", 0),
    "bare/rollout-2025-05-01": (OLD, "/home/dev/older", 0),
    "damage/crlf": (WORK, "/home/dev/shop", 0),
    "damage/bom": (WORK, "/home/dev/shop", 0),
    "damage/nul": (WORK, "/home/dev/shop", 0),
    "damage/half": (WORK, "/home/dev/shop", 1),
    "damage/cut_then_whole": (WORK, "/home/dev/shop", 1),
    "damage/cut_glued_to_whole": (WORK, "/home/dev/shop", 1),
    "damage/twice": (WORK, "/home/dev/shop", 0),
    "damage/utf8": ([row.replace("passed", "p\ufffdssed") for row in WORK], "/home/dev/shop", 0),
    "damage/surrogate": ([row.replace("passed", "p\ufffdssed") for row in WORK], "/home/dev/shop", 0),
    "damage/empty_lines": (WORK, "/home/dev/shop", 0),
    "damage/zst": (WORK, "/home/dev/shop", 0),
    "damage/payload_first": (WORK, "/home/dev/shop", 0),
    "damage/type_first": (WORK, "/home/dev/shop", 0),
    "pages/2026/11/20/rollout-2026-11-20T09": (
        ["human user: One.", "assistant final: 1"],
        "/home/dev/shop",
        0,
    ),
    "pages/2026/11/21": (
        [
            "human user: One.",
            "assistant final: 1",
            "human user: Two.",
            "tool: ls",
            "tool: exit 0 a",
            "assistant final: 2",
            "human user: Three.",
            "assistant final: 3",
        ],
        "/home/dev/shop",
        0,
    ),
    "repeated/resumed": (
        [
            *WORK,
            "human user: Tag it.",
            "assistant final: Tagged.",
            "human user: Push it.",
            "assistant final: Pushed.",
            "human user: Thanks.",
            "assistant final: Welcome.",
        ],
        "/home/dev/shop",
        0,
    ),
    "repeated/said_again": (
        [
            "human user: continue",
            "assistant final: One step done.",
            "human user: continue",
            "assistant final: Two steps done.",
        ],
        "/home/dev/shop",
        0,
    ),
    "forks/rollout": (["human user: Rename it.", "assistant final: Renamed."], "/home/dev/shop", 0),
    "forks/rolled_back": (
        ["human user: One.", "assistant final: 1", "human user: Three.", "assistant final: 3"],
        "/home/dev/shop",
        0,
    ),
    "clients/editor": (["human user: Fix it.", "assistant final: Ok."], "/home/dev/shop", 0),
    "clients/desktop": (
        ["human user: Fix it.", "tool: ls", "tool: exit 0 a", "assistant final: Ok."],
        "/home/dev/shop",
        0,
    ),
    "outside": (
        [
            "human user: Look it up.",
            "tool: mcp:docs/read_page {}",
            "tool: style",
            'tool: mcp:docs/read_page {"page": 1}',
            "tool: style",
            'tool: mcp:docs/read_page {"page": 1}',
            "tool: style",
            'tool: mcp:docs/read_mcp_resource {"server": "docs", "uri": "x:y"}',
            "tool: style",
            "tool: web_search q",
            "tool: web_search q r",
            "tool: web_search https://example.com/",
            "tool: web_search https://example.com/ p",
            "assistant final: Found.",
        ],
        "/home/dev/shop",
        0,
    ),
    "outputs": (
        [
            "human user: Run it.",
            "tool: echo chunk",
            "tool: exit 3 chunk",
            "tool: echo exit_code",
            "tool: exit 3 exit_code",
            "tool: echo json",
            "tool: exit 3 json",
            "tool: echo parts",
            "tool: parts",
            "tool: echo plain",
            "tool: plain",
            "assistant final: Ran.",
        ],
        "/home/dev/shop",
        0,
    ),
}


def told(item: Item) -> str:
    tool = f"{item.tool} " if item.kind == "call" else ""
    code = "" if item.exit_code is None else f"exit {item.exit_code} "
    return f"{item.tier.value}: {tool}{code}{item.text.strip()}"


def file_of(name: str) -> Path:
    folder = FORMATS / name
    return next(folder.iterdir()) if folder.is_dir() and name != "bare" else next(folder.parent.glob(f"{folder.name}*"))


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("fast", [True, False], ids=["by heads", "in full"])
def test_every_format_yields_what_was_said_and_done(name: str, fast: bool) -> None:
    rows, cwd, bad = TABLE[name]
    decoder = Decoder(file_of(name), fast=fast)
    items = list(decoder)
    assert [told(item) for item in items if item.tier is not Tier.HARNESS] == rows
    assert (decoder.facts.bad_lines, decoder.facts.unknown_lines) == (bad, 0)
    assert decoder.facts.session.cwd == cwd
    assert decoder.facts.human_turns == sum(row.startswith("human") for row in rows)
    assert decoder.facts.external_context == (name == "outside")


def test_the_files_are_what_their_maker_writes(tmp_path: Path) -> None:
    make_formats.main(tmp_path)
    made, kept = (
        {path.relative_to(top): path.read_bytes() for path in top.rglob("*") if path.is_file()}
        for top in (tmp_path, FORMATS)
    )
    assert {path: data for path, data in made.items() if path.suffix != ".zst"} == {
        path: data for path, data in kept.items() if path.suffix != ".zst"
    }
    assert set(made) == set(kept)


def test_a_bare_file_has_the_time_of_its_file(tmp_path: Path) -> None:
    source = file_of("bare/rollout-2025-06-01")
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    about = head(path)
    assert isinstance(about, Session)
    assert about.updated_at == pytest.approx(path.stat().st_mtime)
    assert (about.cwd, about.branch, about.id) == ("/home/dev/old", "main", THREAD)


def test_pages_are_one_session_in_order_whatever_folders_they_lie_in(tmp_path: Path) -> None:
    found = [each for each in find_in([FORMATS / "pages"]) if isinstance(each, Found)]
    about = [head(each.path) for each in found]
    assert {each.id for each in about if isinstance(each, Session)} == {THREAD}
    pages = segments(file_of("pages/2026/11/21"))
    assert [path.name.partition(THREAD)[2] for path in pages] == [".jsonl", *(f"_{page}.jsonl" for page in PAGES)]
    flat = [tmp_path / page.name for page in pages[1:]]
    for page, path in zip(pages[1:], flat, strict=True):
        path.write_bytes(page.read_bytes())
    assert segments(flat[-1]) == flat and segments(flat[0]) == flat[:1]


def test_plain_text_and_an_empty_file_are_told_apart() -> None:
    kinds = [head(file_of(f"damage/{name}")) for name in ("text", "empty")]
    assert [each.kind for each in kinds if isinstance(each, Problem)] == ["no_rollout", "empty"]


def test_deleted_files_are_never_found_and_archived_ones_are() -> None:
    names = [each.path.parent.name for each in find(codex_home=FORMATS / "deleted", archived=True)]
    assert names == ["archived_sessions"]
    assert [each.path.parent.name for each in find_in([FORMATS / "deleted"])] == ["archived_sessions"]
    gone = next((FORMATS / "deleted" / "sessions").rglob("*.deleted.*"))
    assert list(find_in([gone])) == []


def test_a_copy_that_ends_early_or_is_none_loses_nothing(tmp_path: Path) -> None:
    session = Rollout().user("go").final("Done.").user("Second.").run("ls").final("2")
    session.user("go").final("Done.").user("Second.").final("Other.")
    items = list(Decoder(session.write(tmp_path)))
    said = [item.text for item in items if item.tier in (Tier.HUMAN, Tier.FINAL)]
    assert said == ["go", "Done.", "Second.", "2", "Other."]  # three in a row are no coincidence
    short = (
        Rollout(name="short")
        .user("go")
        .final("Done.")
        .user("Second.")
        .final("2")
        .user("go")
        .final("Done.")
        .user("End.")
    )
    assert [item.text for item in Decoder(short.write(tmp_path)) if item.tier is Tier.HUMAN] == [
        "go",
        "Second.",
        "go",
        "End.",
    ]
    assert [item.turn for item in Decoder(short.write(tmp_path)) if item.tier is Tier.HUMAN] == [1, 2, 3, 4]
