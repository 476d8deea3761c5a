"""Sessions read by several processes: the same as by one, also when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.engines.base import Engine, Limits
from memkit.engines.offline import OfflineEngine
from memkit.model import Evidence, Session, StageOne, Version
from memkit.rollouts import find
from memkit.stages.extract.pool import results
from memkit.stages.extract.session import Reading

SAMPLES = Path(__file__).parents[1] / "data" / "samples"


def readings() -> Iterator[Reading]:
    for path in sorted(SAMPLES.rglob("*.jsonl")):
        session = find.head(path)
        assert isinstance(session, Session)
        yield Reading(session=session, path=path, parent=None, versions=("v1", "v2"), disable_on_external_context=False)


def came_to(engine: Engine, *, processes: int) -> dict[str, object]:
    return {each.session.id: ask() for each, ask in results(readings(), engine=engine, processes=processes)}


@dataclass(frozen=True)
class Deadly:
    """Kills the other process that it is asked in, once; in this one it waits for that."""

    mark: Path
    here: int
    name: str = "offline"
    limits: Limits = Limits()  # noqa: RUF009
    tokens_used: int = 0

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        if os.getpid() != self.here:
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        until = time.monotonic() + 60
        while not self.mark.exists():
            assert time.monotonic() < until, "no other process was asked"
            time.sleep(0.01)
        return OfflineEngine().extract(evidence, version=version)

    def close(self) -> None:
        pass

    consolidate = OfflineEngine.consolidate  # type: ignore[assignment]


def test_several_processes_give_what_one_gives() -> None:
    alone = came_to(OfflineEngine(), processes=1)
    assert len(alone) >= 3 and came_to(OfflineEngine(), processes=2) == alone


def test_a_killed_process_costs_no_session(tmp_path: Path) -> None:
    assert came_to(Deadly(tmp_path / "killed", os.getpid()), processes=2) == came_to(OfflineEngine(), processes=1)


def test_the_processes_end_with_a_killed_parent(tmp_path: Path) -> None:
    program = (
        "import time, sys; from multiprocessing import active_children\n"
        "from memkit.engines.offline import OfflineEngine\n"
        "from memkit.stages.extract.pool import results\n"
        "from tests.stages.test_extract_pool import readings\n"
        "if __name__ == '__main__':\n"
        "    found = results(readings(), engine=OfflineEngine(), processes=3); next(found)\n"
        "    print(*[child.pid for child in active_children()], flush=True); time.sleep(60)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(program)
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'scripts'}"}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=env, text=True) as parent:
        assert parent.stdout is not None
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2 and all(map(alive, children))
        parent.kill()
        until = time.monotonic() + 20
        while any(map(alive, children)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(map(alive, children))


def alive(pid: int) -> bool:
    """Does the process run? One that ended and was not waited for by its new parent does not."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text().replace(")", ") ", 1)[:80].replace("  ", " ")
    except FileNotFoundError:
        return False
