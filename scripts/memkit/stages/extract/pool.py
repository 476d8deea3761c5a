"""Many sessions read by several processes: the work is Python's own, so that threads would take turns at it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain, islice
from multiprocessing import active_children, connection, get_context, parent_process

from memkit.engines.base import Engine
from memkit.stages.extract.session import Read, Reading, read

Result = tuple[Reading, Callable[[], Read]]  # asked for, it gives what reading came to, or raises what it raised


def results(readings: Iterator[Reading], *, engine: Engine, processes: int) -> Generator[Result, None, None]:
    """Each reading with its result, in their order when there is one process, else as they end.

    A reading is taken from the iterator shortly before its turn. Closing the generator ends the processes at once.
    """
    if processes < 2:
        for reading in readings:
            yield reading, partial(read, reading, engine=engine)
        return
    # Not forked: the masking library has threads of its own, which a fork leaves behind in the middle of their work.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_born)
    held: dict[Future[Read], Reading] = {}
    taken: list[Reading] = []
    try:
        while True:
            for reading in islice(readings, 2 * processes - len(taken)):
                taken.append(reading)
                held[pool.submit(read, reading, engine=engine)] = reading
            if not held:
                return
            done, _ = wait(held, return_when=FIRST_COMPLETED)
            for future in done:
                if isinstance(broken := future.exception(), BrokenProcessPool):
                    raise broken
                taken.remove(held[future])
                yield held.pop(future), future.result
    except BrokenProcessPool:  # one of them was killed (by the system, when memory ran out): this one goes on alone
        yield from results(chain(taken, readings), engine=engine, processes=1)
    finally:
        for child in active_children():
            child.kill()
        pool.shutdown(cancel_futures=True)


def _born() -> None:
    """A process ends with its parent, even when that is killed; Ctrl-C is the parent's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_outlived, args=(parent.sentinel,), daemon=True).start()


def _outlived(parent: int) -> None:
    connection.wait([parent])
    os._exit(1)
