"""The service as processes: listening, several workers, and an end that loses nothing."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Literal

from sparsam._errors import MissingExtraError, ParameterError, SparsamError, hint
from sparsam.collect._answer_table import MOST_CELLS, AnswerTable
from sparsam.collect._model_behind import Takes
from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._target import Target
from sparsam.collect.door._answers import Answering, answers_of
from sparsam.collect.door._apart import made_apart
from sparsam.collect.door._collector import Door
from sparsam.collect.door._pages import Pages
from sparsam.collect.store._collected import Collected
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.collect.store._store import Store

_BACKLOG: Final = 2_048
_KEEP_ALIVE: Final = 15  # seconds that a connection may rest between two requests
_LAST_WORDS: Final = 20  # seconds for requests that have begun when the service is stopped
_MOST_CONNECTIONS: Final = 8_000
_SPARE_FILES: Final = 100
_LOOK: Final = 0.5
_EARLY: Final = 10.0
_MOST_EARLY_ENDS: Final = 3
_DAY: Final = 86_400


@dataclass(frozen=True)
class Service:
    """All that a process must know to open the door.

    Parameters
    ----------
    source : Generalization or Questionnaire
        What is collected.
    database : str
        A file or an address, as `Store.open` takes it.
    keep_days : int
    mode : {"counts", "rows"}, default="counts"
    target : Target or None, default=None
    key : Path or None, default=None
        Where the key is that receipts are signed with.
    model : Path or None, default=None
    trust_model : bool, default=False
    takes : {"labels", "codes"}, Recoding or None, default=None
        What the model is fed.
    form : bool, default=True
    language : str, default="en"
    labels : Path or None, default=None
    """

    source: Generalization | Questionnaire
    database: str
    keep_days: int
    mode: Literal["counts", "rows"] = "counts"
    target: Target | None = None
    key: Path | None = None
    model: Path | None = None
    trust_model: bool = False
    takes: Takes | None = None
    form: bool = True
    language: str = "en"
    labels: Path | None = None

    def store(self) -> Store:
        """Open the store."""
        from sparsam.collect.store._store import Store

        return Store.open(
            self.database,
            self.source,
            keep_days=self.keep_days,
            mode=self.mode,
            target=self.target,
            key=self.key,
        )

    @cached_property
    def collected(self) -> Collected:
        """What a record is."""
        return Collected.of(self.source, self.target)

    def pages(self) -> Pages:
        """Make the pages."""
        return Pages(
            self.collected,
            form=self.form,
            language=self.language,
            labels=self.labels,
        )

    def answers(self) -> Answering | None:
        """Load the model, and ask it about all records where these are few enough."""
        model = None
        if self.model is not None:
            from sparsam.data import load_model

            model = load_model(self.model, trust=self.trust_model)
        return answers_of(model, self.collected, self.takes)

    def light_answers(self) -> Answering | None:
        """Return the same, without keeping the model in memory where a table answers."""
        if self.model is None or self.collected.n_different > MOST_CELLS:
            return self.answers()
        return made_apart(self.answers)


def check(service: Service) -> None:
    """Open everything once, and delete what is past its time: what fails, fails now.

    Parameters
    ----------
    service : Service
    """
    _uvicorn()
    service.pages()
    service.answers()
    _delete(service)


def listen(host: str, port: int) -> socket.socket:
    """Begin to listen.

    Parameters
    ----------
    host : str
        An address of this machine.
    port : int
        0 for any that is free.

    Raises
    ------
    ParameterError
        Another program listens there, or nobody may.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = error.strerror
        if error.errno and not isinstance(error, socket.gaierror):
            why = os.strerror(error.errno)  # without what the library adds
        raise ParameterError(
            f"Nothing can listen on port {port} of {host}: {why}."
            + hint("choose another port or host", "choose another one with --port or --host")
        ) from None


def serve(
    service: Service,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    workers: int = 1,
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until told to stop by SIGINT or SIGTERM; what has been taken by then is answered.

    Parameters
    ----------
    service : Service
    host : str, default="127.0.0.1"
        An address of this machine; the default is reached from this machine alone.
    port : int, default=8080
        0 for any that is free.
    workers : int, default=1
        How many processes.
    ready : callable
        Called with the address of the service once it listens.
    """
    _uvicorn()
    with listen(host, port) as listener:
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{listener.getsockname()[1]}/"
        if workers == 1:
            answers = service.light_answers()
            _serve_here(service, listener, answers, lambda: ready(url), retention=True)
        else:
            _supervise(service, listener, workers, lambda: ready(url))


def _uvicorn() -> Any:
    try:
        import httptools  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtraError(
            f"{error.name} is not installed.\n\nHint: pip install 'sparsam[serve]'"
        ) from error
    return uvicorn


def _serve_here(
    service: Service,
    listener: socket.socket,
    answers: Answering | None,
    ready: Callable[[], None],
    *,
    retention: bool,
) -> None:
    uvicorn = _uvicorn()
    from sparsam.collect.door._protocol import PatientProtocol

    with service.store() as store, _only_our_words():
        door = Door(store, answers, service.pages(), retention=retention)
        config = uvicorn.Config(
            door,
            http=PatientProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # nobody needs to know who asks
            server_header=False,
            date_header=False,
            backlog=_BACKLOG,
            limit_concurrency=_most_connections(),
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_LAST_WORDS,
        )
        server = _make_server(uvicorn, config)
        _stop_with_parent(server)
        ready()
        server.run([listener])


def _make_server(uvicorn: Any, config: Any) -> Any:
    class Server(uvicorn.Server):  # type: ignore[misc]
        """A server for which a signal is the end of its work, and no accident."""

        should_exit: bool
        force_exit: bool

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Stop gently; at the second Ctrl-C at once."""
            stopping = self.should_exit
            self.should_exit = True
            self.force_exit = stopping and sig == signal.SIGINT

    return Server(config)


def _most_connections() -> int:
    """As many as the system lets this process have, less the files that it needs itself."""
    if sys.platform == "win32":
        return _MOST_CONNECTIONS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_SPARE_FILES, min(_MOST_CONNECTIONS, soft - _SPARE_FILES))


def _stop_with_parent(server: Any) -> None:
    """Let a worker stop when the process that watches over it is gone."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        server.should_exit = True

    threading.Thread(target=watch, daemon=True).start()


class _Kinds(logging.Handler):
    """Print our own messages, and of those of libraries only from where they came.

    A library may quote what it was given.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line to standard error."""
        text = f"an error of {record.name}"
        if record.name.startswith("sparsam."):
            text = record.getMessage()
        elif record.exc_info and record.exc_info[0] is not None:
            text = f"{record.exc_info[0].__qualname__} in {record.name}"
        sys.stderr.write(f"sparsam collect: {text}\n")
        sys.stderr.flush()


@contextmanager
def _only_our_words() -> Iterator[None]:
    handler = _Kinds(logging.ERROR)
    loggers = [logging.getLogger(name) for name in ("sparsam.door", "uvicorn.error", "asyncio")]
    before = [(logger, logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
    try:
        yield
    finally:
        for logger, handlers, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate


def _work(service: Service, listener: socket.socket, table: AnswerTable | None) -> None:
    """Be one of several workers."""
    try:
        answers = service.answers() if table is None else table
        _serve_here(service, listener, answers, lambda: None, retention=False)
    except SparsamError as error:
        sys.stderr.write(f"sparsam collect: {error}\n")
        sys.exit(1)


def _supervise(
    service: Service, listener: socket.socket, workers: int, ready: Callable[[], None]
) -> None:
    """Keep workers running, and delete records after their time."""
    service.pages()
    answers = service.light_answers()
    table = answers if isinstance(answers, AnswerTable) else None
    _delete(service)
    today, stop = _today(), threading.Event()

    def told(sig: int, frame: FrameType | None) -> None:
        stop.set()

    before = {sig: signal.signal(sig, told) for sig in (signal.SIGINT, signal.SIGTERM)}
    crew = _Crew(lambda: _start(service, listener, table), workers)
    try:
        ready()
        while not stop.is_set():
            crew.look_after()
            if _today() != today:
                _delete(service)
                today = _today()
    finally:
        crew.stop()
        for sig, handler in before.items():
            signal.signal(sig, handler)


def _delete(service: Service) -> None:
    with service.store() as store:
        store.expire()


def _today() -> int:
    return int(time.time() // _DAY)


def _start(service: Service, listener: socket.socket, table: AnswerTable | None) -> BaseProcess:
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_work, args=(service, listener, table))
    # Ctrl-C reaches all processes of a terminal: workers leave it to the one that watches them
    hushed = hasattr(signal, "pthread_sigmask")
    if hushed:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        if hushed:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    return process


class _Crew:
    """Worker processes: one that ends is replaced, unless they all end as soon as they begin.

    Parameters
    ----------
    start : callable
        Starts one.
    size : int
    """

    def __init__(self, start: Callable[[], BaseProcess], size: int) -> None:
        self._start_one = start
        self._processes: dict[BaseProcess, float] = {}
        self._early_ends = 0
        for _ in range(size):
            self._start()

    def _start(self) -> None:
        self._processes[self._start_one()] = time.monotonic()

    def look_after(self) -> None:
        """Wait a moment, and replace those that have ended."""
        wait([process.sentinel for process in self._processes], _LOOK)
        for process, since in list(self._processes.items()):
            if process.is_alive():
                continue
            del self._processes[process]
            early = time.monotonic() - since < _EARLY
            self._early_ends = self._early_ends + 1 if early else 0
            if self._early_ends > _MOST_EARLY_ENDS:
                raise SparsamError("The workers end as soon as they have begun.")
            self._start()

    def stop(self) -> None:
        """Let all finish what they have begun, and end."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(_LAST_WORDS + 5)
            if process.is_alive():
                process.kill()
                process.join()
