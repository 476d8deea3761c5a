"""Checks of the home's repository and its hooks."""

from __future__ import annotations

from collections.abc import Iterator

from memkit import tree
from memkit.repo import looking
from memkit.stages.doctor.place import OWN_FILES
from memkit.stages.doctor.values import Trouble, Visit, counted


def check(visit: Visit) -> Iterator[Trouble]:
    """Everything about Git; a run that works just now is not taken for one that was cut off."""
    init = f"{visit.memkit} init"
    if said := looking.no_repository(visit.repo):
        what = f"the home {visit.home} is not a repository: {said}"
        yield Trouble(check="no-repository", what=what, mend=init)
        return
    if not visit.busy:
        yield from _half_way(visit, init)
    if where := looking.off_main(visit.repo):
        yield Trouble(check="branch", what=f"HEAD of the home is not on branch main but on {where}", mend=init)
    if said := looking.lost(visit.repo):
        yield Trouble(check="lost-object", what=said, mend=f"git -C {visit.quoted(visit.home)} fsck")
    yield from _ignored(visit)
    yield from _hooks(visit)


def _half_way(visit: Visit, init: str) -> Iterator[Trouble]:
    for lock in looking.dead_locks(visit.repo):
        yield Trouble(check="stale-lock", what=f"{lock} was left by a Git that was killed", mend=init)
    for name in looking.half_way(visit.repo):
        what = f"a {name} stands half way in the home"
        yield Trouble(check="half-way", what=what, mend=f"git -C {visit.quoted(visit.home)} {name} --abort, or {init}")
    if looking.cut_off(visit.repo):
        what = "a move of the memory to a new commit was cut off; the next run finishes it or takes it back"
        yield Trouble(check="unfinished-publish", what=what, mend=f"{visit.memkit} run")


def _ignored(visit: Visit) -> Iterator[Trouble]:
    wanted = (*OWN_FILES, *tree.TREES.values())
    found = [each for each in looking.ignored(visit.repo, wanted) if not each.path.endswith(".tmp")]
    for rule in dict.fromkeys(each.rule for each in found):
        mine = [each.path for each in found if each.rule == rule]
        more = f" and {counted(len(mine) - 1, 'more file')}" if len(mine) > 1 else ""
        place = rule.partition(":")[0]
        yield Trouble(
            check="ignored",
            what=f"Git ignores {mine[0]}{more} by the rule {rule}; no change of it is kept",
            mend=f"take that line out of {visit.home / place}",
        )


def _hooks(visit: Visit) -> Iterator[Trouble]:
    home = visit.quoted(visit.home)
    if elsewhere := looking.hooks_elsewhere(visit.repo):
        yield Trouble(
            check="hooks-bypassed",
            what=f"core.hooksPath is {elsewhere}: hooks in the home's .git/hooks are passed by",
            mend=f"git -C {home} config core.hooksPath .git/hooks",
        )
    for hook in looking.hooks(visit.repo):
        path, name = visit.quoted(hook.path), hook.path.relative_to(visit.repo.home)
        if hook.dead:
            mend = f"chmod +x {path}" if "executable" in hook.dead else f"rm {path}"
            yield Trouble(check="hook-dead", what=f"the hook {name} is dead: {hook.dead}", mend=mend)
        elif not hook.own:
            what = f"the hook {name} is not memkit's: memkit's own commits pass it by"
            yield Trouble(check="hook-foreign", what=what, mend=f"rm {path}")
