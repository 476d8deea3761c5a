"""`make bench`: how fast and how small memkit is, as ratios to plain loops on the same machine, measured in one run;
and how many bytes of evidence a model is sent, as a ratio to Codex.

A ratio is the median of five, each of a measured and a plain run that stand next to each other, so that a machine that
is busy for a while slows both. All go to .cache/bench.json: the figure, its bar, and whether it holds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from tests.bench import corpus, loops, sent
from tests.bench.runs import Runs

_MB = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A measured value and its bar (None: shown only). unit: `x` is a ratio, `MB` a peak of memory, `n` a number."""

    name: str
    value: float
    bar: float | None
    unit: str = "x"
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.bar is None or self.value <= self.bar


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much is measured: bytes, numbers of files and lines, and rounds of each pair.

    golden: also what is sent of the golden sessions, which are as large as they are.
    """

    corpus: int = 300 * _MB
    sessions: int = 60
    few: int = 58_000_000
    long: int = 1_000 * _MB
    compacted: int = 1_000
    known: int = 1_000
    projects: int = 50
    files: int = 10_000
    text: int = 44_000_000
    rounds: int = 5
    golden: bool = True


TINY = Sizes(
    corpus=_MB,
    sessions=3,
    few=_MB,
    long=2 * _MB,
    compacted=2,
    known=3,
    projects=2,
    files=50,
    text=60_000,
    rounds=1,
    golden=False,
)


def figures(cache: Path, *, sizes: Sizes) -> Iterator[Figure]:
    """Measures everything, one figure after the other; the corpus is kept below `cache`, all else is removed."""
    cache.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=cache) as folder:
        if sizes.golden:
            yield from evidence(Path(mkdtemp(dir=folder)))
        runs = Runs(Path(folder), rounds=sizes.rounds)
        yield from _reading(cache, runs, sizes=sizes)
        yield from _starting(runs, sizes=sizes)
        yield from _consolidating(runs, sizes=sizes)
        yield from _searching(runs, sizes=sizes)
        yield from _masking(runs, sizes=sizes)
        yield from _memory(runs, sizes=sizes)


def evidence(folder: Path) -> Iterator[Figure]:
    """No timing: the bytes of the rows that are sent, against those that Codex sent of the same sessions."""
    every = sent.sent(folder)
    short = [each for each in every if not each.long]
    rows, codex = sum(each.rows for each in short), sum(each.codex for each in short)
    headers = sum(each.header for each in short)
    note = f"{rows:,} / {codex:,} bytes; {(rows + headers) / codex:.2f} with their headers"
    yield Figure(name=f"V2 evidence / Codex's, {len(short)} short sessions", value=rows / codex, bar=0.5, note=note)
    for each in every:
        if each.long:
            note = f"{each.rows:,} / {each.codex:,} bytes; {each.session}"
            yield Figure(name="V2 evidence / Codex's, a long session", value=each.rows / each.codex, bar=1, note=note)
    people = sum(each.people for each in every)
    lost = sum(each.lost for each in every)
    yield Figure(name="human rows that are not sent", value=lost, bar=0, unit="n", note=f"of {people}")


def _reading(cache: Path, runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    made = corpus.corpus(cache, sessions=sizes.sessions, size=sizes.corpus)
    note = f"{made.size / _MB:,.0f} MB, {len(made.files)} sessions"

    def plain() -> float:
        return runs.timed(loops.orjson_lines, made.files)

    def whole() -> float:
        return runs.extract(made.folder)

    for name, loop, bar in (("decoding", loops.decoded, 0.6), ("decoding to items", loops.items, None)):
        yield _ratio(runs, f"{name} / orjson.loads", lambda loop=loop: runs.timed(loop, made.files), plain, bar, note)
    yield _ratio(runs, "memkit extract / orjson.loads", whole, plain, 4, note)
    few = corpus.corpus(cache, sessions=min(20, sizes.sessions), size=sizes.few)
    load = "import json,sys\nfor name in sys.argv[1:]:\n for line in open(name,'rb'): json.loads(line)"
    yield _ratio(
        runs,
        "memkit extract / python -c json.loads",
        lambda: runs.extract(few.folder),
        lambda: runs.python("-c", load, *few.files),
        1,
        f"{few.size / _MB:,.0f} MB, {len(few.files)} sessions, start-up included",
    )


def _starting(runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    made = corpus.small_sessions(runs.folder / "codex" / "sessions", sessions=sizes.known)
    home = runs.home()
    runs.memkit(home, "run", made.folder)

    def nothing() -> float:
        return runs.python("-c", "pass")

    for arguments, bar in ((("--version",), 7), (("context", "--format", "hook", "--cwd", "/home/dev/project-1"), 8)):
        name = f"memkit {' '.join(arguments[:3])} / python -c pass"
        yield _ratio(runs, name, lambda given=arguments: runs.memkit(home, *given), nothing, bar, "")
    note = f"{len(made.files):,} known sessions, nothing new"
    yield _ratio(runs, "memkit run / python -c pass", lambda: runs.memkit(home, "run", made.folder), nothing, 25, note)
    note = "what runs behind it is not counted"
    yield _ratio(runs, "post-session / python -c pass", lambda: runs.post_session(home), nothing, 2, note)
    runs.program("git", "-C", home, "config", "user.name", "bench")
    corpus.hand_edit(home)
    runs.program("git", "-C", home, "add", "-A")
    for state, bar in (("a changed line", None), ("a clean stage", 12)):
        note = f"{len(made.files):,} known sessions"
        yield _ratio(runs, f"Git hook, {state} / python -c pass", lambda: runs.git_hook(home), nothing, bar, note)
        runs.program("git", "-C", home, "reset", "-q", "--hard")


def _consolidating(runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    """Ten times the sessions in ten times the projects."""
    homes = []
    for sessions, projects in ((sizes.known // 10 or 1, sizes.projects // 10 or 1), (sizes.known, sizes.projects)):
        made = corpus.small_sessions(runs.folder / "scale", sessions=sessions, projects=projects)
        homes.append(runs.home())
        runs.memkit(homes[-1], "extract", made.folder)
    few, many = homes
    note = f"{sizes.known:,} sessions over {sizes.projects} projects"
    yield _ratio(
        runs,
        "consolidation, ten times as much",
        lambda: runs.consolidate(many),
        lambda: runs.consolidate(few),
        10,
        note,
    )
    findings = runs.findings(many)
    yield Figure(name="findings of lint in what was consolidated", value=findings, bar=0, unit="n", note=note)


def _searching(runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    home = runs.home()
    folder = corpus.memory(home, files=sizes.files)
    for state in ("loose", "packed"):
        yield _ratio(
            runs,
            f"memkit search / grep -r, {state} objects",
            lambda: runs.memkit(home, "search", corpus.ONCE),
            lambda: runs.program("grep", "-r", corpus.ONCE, folder),
            10,
            f"{sizes.files:,} files, start-up included",
        )
        runs.program("git", "-C", home, "gc", "--quiet")


def _masking(runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    texts = corpus.texts(sizes.text)
    few = texts[: max(len(texts) // 20, 1)]  # the slow way is as slow on less: its time is taken in proportion
    share = sum(map(len, texts)) / sum(map(len, few))
    yield _ratio(
        runs,
        "masking / without keyword prefilter",
        lambda: runs.timed(loops.masked, texts),
        lambda: runs.timed(loops.masked_unfiltered, few) * share,
        0.1,
        f"{sizes.text / 1e6:,.1f} MB, own rules, {'with' if loops.has_hyperscan() else 'without'} hyperscan",
    )
    hostile = [("sk-proj-" * (size // 8),) for size in (sizes.text // 40, sizes.text // 20)]
    yield _ratio(
        runs,
        "masking twice as much hostile text",
        lambda: runs.timed(loops.masked, hostile[1]),
        lambda: runs.timed(loops.masked, hostile[0]),
        3,
        f"{len(hostile[1][0]) / 1e6:,.1f} MB of one repeated prefix; 2 is linear",
    )


def _memory(runs: Runs, *, sizes: Sizes) -> Iterator[Figure]:
    kinds: tuple[tuple[str, Callable[[int], corpus.Made], int], ...] = (
        ("one long session", lambda size: corpus.long_session(runs.folder, size=size), sizes.long),
        ("compacted lines of 1 MB", lambda lines: corpus.compacted_session(runs.folder, lines=lines), sizes.compacted),
    )
    for name, make, full in kinds:
        peaks = []
        for amount in (full // 2, full):
            made = make(amount)
            peaks.append(runs.peak(made.folder) / _MB)
            note = f"{made.size / _MB:,.0f} MB"
            made.remove()
        yield Figure(name=f"peak of memkit extract, {name}", value=peaks[1], bar=200, unit="MB", note=note)
        yield Figure(name=f"peak when it doubles, {name}", value=peaks[1] / peaks[0], bar=1.15, note=note)


def _ratio(
    runs: Runs, name: str, measured: Callable[[], float], plain: Callable[[], float], bar: float | None, note: str
) -> Figure:
    if runs.rounds > 1:
        measured()  # caches of the file system and of Python are warm for both
    pairs = [(measured(), plain()) for _ in range(runs.rounds)]
    value = statistics.median(ours / theirs for ours, theirs in pairs)
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Figure(name=name, value=value, bar=bar, note=f"{ours:.3f} s / {theirs:.3f} s; {note}".rstrip("; "))


def shown(figure: Figure) -> str:
    """A line of the table."""
    bar = "" if figure.bar is None else f"at most {figure.bar:g}"
    verdict = "" if figure.bar is None else ("holds" if figure.holds else "MISSED")
    return f"{figure.value:9.3f} {figure.unit:2}  {bar:13} {verdict:6}  {figure.name}  ({figure.note})"


def main() -> None:
    """Prints the table as it grows, and writes it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--json", type=Path, default=Path(".cache/bench.json"))
    parser.add_argument(
        "--tiny", action="store_true", help="a corpus of a few megabytes, one round: figures mean nothing"
    )
    given = parser.parse_args()
    before = os.getloadavg()
    found = []
    for figure in figures(given.cache, sizes=TINY if given.tiny else Sizes()):
        print(shown(figure), flush=True)
        found.append({**asdict(figure), "holds": figure.holds})
    load = {"before": before, "after": os.getloadavg(), "cores": os.cpu_count()}
    print(
        f"load {before[0]:.1f} to {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, Python {sys.version.split()[0]}"
    )
    given.json.write_text(json.dumps({"figures": found, "load": load}, indent=1) + "\n")


if __name__ == "__main__":
    main()
