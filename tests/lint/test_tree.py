from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import prompts
from memkit.lint import GATING, RULES, lint_tree
from tests.lint.trees import body, found, found_in, places, tree
from tests.support.trees import RecordFile

SHOP = RecordFile(body=body('request: "Raise the retry limit."', 'preference (stated): "Always use pnpm."'))
GEO = RecordFile(name="geo", cwd="/home/dev/geo", started="2026-11-21T09:00:00Z", slug="", branch="")


def test_a_good_tree_has_no_findings() -> None:
    files = tree(
        SHOP,
        GEO,
        preferences=['(in ~/shop) "Always use pnpm." (1 session, last 2026-11-20)'],
        index={"~/shop": {"2026-11-20": [SHOP.index_line('"Raise the retry limit"')]}},
        more={
            "extensions/ad_hoc/notes/2026-11-20T10-00-00-pnpm.md": (
                "---\nkind: remember\nproject: ~/shop\ncreated: 2026-11-20T10:00:00+00:00\n---\n\nUse pnpm.\n"
            ),
            "extensions/ad_hoc/instructions.md": "Notes of the user.\n",
            "skills/deploy/SKILL.md": "# Deploy\n",
        },
    )
    assert found(files) == ()


def test_the_skeleton_is_good() -> None:
    assert found({"memory_summary.md": prompts.memory_summary().encode()}) == ()


def test_golden_trees_lack_only_what_codex_did_not_write(golden: Path) -> None:
    for name in ("memories", "memories_v2"):
        root = golden / name
        files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}
        findings = found(files)
        assert places(findings, "summary-first-line") == [("memory_summary.md", 0)]
        assert len(places(findings, "record-shape")) == 12
        assert {finding.rule for finding in findings} == {"summary-first-line", "record-shape"}


def test_findings_are_sorted_and_gate_by_their_rule() -> None:
    files = tree(preferences=["x", "x"], more={"z.txt": "", "a.txt": "", GEO.path: "no header"})
    findings = found(files)
    assert list(findings) == sorted(findings)
    assert {finding.rule for finding in findings} == {"duplicate-line", "unknown-file", "record-header"}
    assert all(finding.gates == (finding.rule in GATING) for finding in findings)


def test_every_rule_of_the_design_is_known() -> None:
    starred = (
        "summary-first-line summary-sections summary-bytes summary-tokens pointer-missing thread-id-mismatch "
        "scope-mark-missing frame-delimiter secret symlink record-header handbook-block raw-order note-header"
    )
    free = "line-too-long status-undated duplicate-line record-shape unknown-file"
    assert set(starred.split()) == GATING
    assert set(f"{starred} {free}".split()) == RULES


def test_symbolic_links_are_found_and_not_read() -> None:
    files = tree(SHOP, more={"rollout_summaries/link.md": "whatever"})
    findings = found(files, symlinks=["rollout_summaries/link.md", "skills"])
    assert [(finding.file, finding.rule) for finding in findings] == [
        ("rollout_summaries/link.md", "symlink"),
        ("skills", "symlink"),
    ]


@pytest.mark.parametrize(
    "name",
    ["notes.txt", "rollout_summaries/sub/x.md", "rollout_summaries/x.txt", "extensions/x.md", ".gitkeep", "SKILL.md"],
)
def test_files_that_belong_nowhere_are_named(name: str) -> None:
    assert places(found(tree(more={name: "x"})), "unknown-file") == [(name, 0)]


@pytest.mark.parametrize("name", ["memory_summary.md", "MEMORY.md", "extensions/x/resources/2026-a.md", "skills/a/b/c"])
def test_files_that_belong_somewhere_are_not(name: str) -> None:
    more = {name: "", "extensions/x/instructions.md": ""}
    assert places(found(tree(more=more)), "unknown-file") == []


@pytest.mark.parametrize("name", ["extensions/x/resources/a.md", "extensions/x y/resources/a.md"])
def test_what_an_extension_can_not_be_read_from_is(name: str) -> None:
    more = {name: "", "extensions/x y/instructions.md": ""}
    assert (name, 0) in places(found(tree(more=more)), "unknown-file")


def test_a_file_by_itself_is_judged_by_the_end_of_its_path() -> None:
    path = f"/tmp/tree/{SHOP.path}"
    assert found_in(path, SHOP.text) == ()
    assert places(found_in(path, "x"), "record-header") == [(path, 1)]
    assert places(found_in("somewhere/memory_summary.md", "v2"), "summary-first-line") != []
    assert places(found_in("README.md", "x"), "unknown-file") == [("README.md", 0)]


def test_a_file_by_itself_misses_no_pointers() -> None:
    files = tree(index={"~/shop": {"2026-11-20": [SHOP.index_line("x")]}})
    assert places(found(files), "pointer-missing") == [("memory_summary.md", 14)]
    assert found_in("memory_summary.md", files["memory_summary.md"]) == ()


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("memory_summary.md", "summary-first-line"),
        ("MEMORY.md", "handbook-block"),
        ("raw_memories.md", "raw-order"),
        (SHOP.path, "record-header"),
        ("extensions/ad_hoc/notes/2026-11-20T10-00-00-x.md", "note-header"),
        ("skills/x/SKILL.md", "unknown-file"),
    ],
)
@pytest.mark.parametrize("bad", [b"\xff", b"\0"])
def test_bytes_that_are_no_text_are_a_finding_of_the_files_form(name: str, rule: str, bad: bytes) -> None:
    assert places(found_in(name, b"v1\n\n" + bad + b"\n"), rule) == [(name, 3)]


_NAMES = st.sampled_from(
    ["memory_summary.md", "MEMORY.md", "raw_memories.md", SHOP.path, "extensions/ad_hoc/notes/x.md", "skills/a/b", "?"]
)
_LINES = st.sampled_from(
    [
        *tree(SHOP, preferences=["(in ~/a) x"])["memory_summary.md"].decode().split("\n"),
        *SHOP.text.split("\n"),
        SHOP.index_line('"x"'),
        "- (in ",
        "- (in ) x (1 session, last 2026-11-20) [by hand]",
        "---",
        "kind: forget",
        "# Task Group: x",
        "## Thread `a`",
        "</memkit-memory>",
        '`"“',
    ]
)
_TEXTS = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(_LINES, max_size=30).map(lambda lines: "\n".join(lines).encode()),
)


@settings(max_examples=150)
@given(files=st.dictionaries(_NAMES, _TEXTS, max_size=5))
def test_lint_never_raises(files: dict[str, bytes]) -> None:
    findings = lint_tree(files, max_bytes=500, max_tokens=50)
    assert {finding.rule for finding in findings} <= RULES
    for name, data in files.items():
        limit = data.count(b"\n") + 1
        assert all(0 <= finding.line <= limit for finding in found_in(name, data))
