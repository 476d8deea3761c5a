"""Many sessions at a time: by processes where the work is Python's own, by threads where it is waiting for a server."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from multiprocessing import active_children, connection, get_context, parent_process
from multiprocessing.pool import ThreadPool
from queue import Empty, SimpleQueue

from memkit.engines.base import Engine
from memkit.stages.extract.session import Read, Reading, read

_WORTH = 3  # sessions from which on starting another process takes less time than it saves
_GRACE = 0.5  # seconds that questions under way get when no result is wanted any more
Result = tuple[Reading, Callable[[], Read]]  # asked for, it gives what reading came to, or raises what it raised


def results(readings: Iterator[Reading], *, engine: Engine, processes: int) -> Generator[Result, None, None]:
    """Each reading with its result, in their order when there is one process and one question, else as they end.

    A reading is taken from the iterator shortly before its turn. Closing the generator ends the processes at once.
    """
    if engine.limits.parallel > 1:
        yield from _by_threads(readings, engine=engine)
        return
    first = list(islice(readings, _WORTH))
    readings = chain(first, readings)
    if processes < 2 or len(first) < _WORTH:
        for reading in readings:
            yield reading, partial(read, reading, engine=engine)
        return
    # Not forked: the masking library has threads of its own, which a fork leaves behind in the middle of their work.
    # This process is one of them: it is up already, and reads while the others are still starting.
    others = processes - 1
    pool = ProcessPoolExecutor(others, mp_context=get_context("spawn"), initializer=_born)
    held: dict[Future[Read], Reading] = {}
    taken: list[Reading] = []
    try:
        while True:
            for reading in islice(readings, 2 * others - len(taken)):
                taken.append(reading)
                held[pool.submit(read, reading, engine=engine)] = reading
            if not any(future.done() for future in held) and (mine := next(readings, None)):
                yield mine, partial(read, mine, engine=engine)
                continue
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


def _by_threads(readings: Iterator[Reading], *, engine: Engine) -> Generator[Result, None, None]:
    """Each reading with its result, as they end. Closing the generator leaves what is under way behind."""
    ended: SimpleQueue[tuple[Reading, Callable[[], Read]]] = SimpleQueue()
    # Its threads are daemons, unlike an executor's: an interrupted run need not wait for a slow server.
    pool = ThreadPool(engine.limits.parallel)
    under_way = 0
    try:
        while True:
            for reading in islice(readings, engine.limits.parallel - under_way):
                under_way += 1
                pool.apply_async(partial(_finish, reading, engine, ended))
            if not under_way:
                return
            result = ended.get()
            under_way -= 1
            yield result
    finally:
        # What is answered in a moment is let end: its connection is then closed, and its answer kept.
        until = time.monotonic() + _GRACE
        with suppress(Empty):
            for _ in range(under_way):
                ended.get(timeout=max(0.0, until - time.monotonic()))
        pool.terminate()


def _finish(reading: Reading, engine: Engine, ended: SimpleQueue[Result]) -> None:
    future: Future[Read] = Future()
    try:
        future.set_result(read(reading, engine=engine))
    except BaseException as error:
        future.set_exception(error)
        raise
    finally:
        ended.put((reading, future.result))


def _born() -> None:
    """A process ends with its parent, even when that is killed; Ctrl-C is the parent's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_outlived, args=(parent.sentinel,), daemon=True).start()


def _outlived(parent: int) -> None:
    connection.wait([parent])
    os._exit(1)
