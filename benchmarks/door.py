"""The served door under load, under hostile bodies, and killed: speed, echoes, lost records.

    python benchmarks/door.py speed --seconds 5             # needs wrk; pins the service to core 0
    python benchmarks/door.py fuzz --bodies 10000
    python benchmarks/door.py kills --kills 200
    python benchmarks/door.py slow                          # slow, huge and half-sent requests
    python benchmarks/door.py memory                        # with a model behind the door

Each starts `sparsam collect` as a user does, on a SQLite file of its own, or on --database; with
--questionnaire it collects interviews instead of whole records. Figures are CPU seconds of the
service; no figure depends on what else the machine does, but the records a second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sparsam.collect import Questionnaire, Store
from sparsam.collect._runs import runs
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Branch,
    Generalization,
    Leaf,
    Recoding,
    categorical_partition,
    numeric_partition,
)

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PEOPLE = Generalization(
    [
        numeric_partition(
            "age", NumericDomain(0, 99, integer=True), [18, 25, 35, 45, 55, 65, 70, 75]
        ),
        categorical_partition(
            "education", CategoricalDomain(("a", "b", "c")), [["a"], ["b", "c"]], missing=2
        ),
        categorical_partition("relationship", CategoricalDomain(("x", "y")), [["x"], ["y"]]),
    ]
)
SIZES = {name: PEOPLE[name].n_buckets for name in PEOPLE.collected}
MEANS = {"age": [9, 20, 30, 40, 50, 60, 67, 72, 80], "education": ["a", "b", None],
         "relationship": ["x", "y"]}  # fmt: skip
QUESTIONS = Questionnaire(
    Recoding(
        PEOPLE,
        MEANS,
        [
            Branch("age", (0, 7, 8), 1, 2),  # the young and the old are asked nothing more
            Leaf((), {"age": 9, "education": "a", "relationship": "x"}, "no"),
            Branch("relationship", (0,), 3, 4),
            Leaf(("education",), {"age": 40, "relationship": "x"}),  # asks for its buckets apart
            Branch("age", (1, 2), 5, 6),
            Leaf((), {"age": 20, "education": "a", "relationship": "y"}, "no"),
            Leaf((), {"age": 40, "education": "a", "relationship": "y"}, "yes"),
        ],
    )
)

Sent = Mapping[str, int | str]
"""A record as it is sent: the number of a bucket, or of several, such as "1-3.5"."""


Nearly = tuple[str, dict[str, int | str], bool]
"""A content type, a record that is nearly good, and whether it is."""


class WholeRecords:
    """The subject of most runs: a bucket of each attribute.

    Parameters
    ----------
    source : Generalization
    """

    artifact = "people.json"

    def __init__(self, source: Generalization = PEOPLE) -> None:
        self.source = source
        self.sizes = {name: source[name].n_buckets for name in source.collected}

    def draw(self, rng: random.Random) -> dict[str, int | str]:
        """Draw a record."""
        return {name: rng.randrange(size) for name, size in self.sizes.items()}

    def strange(self, rng: random.Random) -> Iterator[Nearly]:
        """Yield nothing: what is nearly a record is among the hostile bodies."""
        return iter(())


class Interviewed:
    """People who are interviewed.

    Parameters
    ----------
    source : Questionnaire
    """

    artifact = "questions.json"

    def __init__(self, source: Questionnaire = QUESTIONS) -> None:
        self.source = source
        g = source.recoding.generalization
        self.sizes = {name: g[name].n_buckets for name in g.names if name in source.names}

    def draw(self, rng: random.Random) -> dict[str, int | str]:
        """Interview somebody, and write the answers as the page does."""
        interview = self.source.start()
        while (name := interview.next) is not None:
            interview = interview.answer(name, rng.choice(interview.choices(name)))
        return {n: self._sent(choice.buckets) for n, choice in interview.answers.items()}

    @staticmethod
    def _sent(buckets: tuple[int, ...]) -> int | str:
        return buckets[0] if len(buckets) == 1 else runs(buckets)

    def finished(self, record: Sent) -> bool:
        """Whether these are the answers of an interview: asked of an interview itself."""
        interview, left = self.source.start(), dict(record)
        while (name := interview.next) is not None:
            offered = {self._sent(choice.buckets): choice for choice in interview.choices(name)}
            given = left.pop(name, None)
            if given not in offered:
                return False
            interview = interview.answer(name, offered[given])
        return not left

    def strange(self, rng: random.Random) -> Iterator[Nearly]:
        """Yield answers that are finer, coarser or others than asked, and whether they are good."""
        record = self.draw(rng)
        name = rng.choice(list(self.sizes))
        size = self.sizes[name]
        some = tuple(sorted(rng.sample(range(size), rng.randint(1, size))))
        finer = {**record, name: rng.randrange(size)}
        yield JSON, finer, self.finished(finer)
        other = {**record, name: self._sent(some)}
        yield JSON, other, self.finished(other)
        yield FORM, other, self.finished(other) or self._whole(other)
        # without scripts a page asks for every bucket, and the door lets go of what it may not keep
        every: dict[str, int | str] = {each: rng.randrange(n) for each, n in self.sizes.items()}
        yield FORM, every, True
        yield JSON, every, self.finished(every)

    def _whole(self, record: Sent) -> bool:
        return record.keys() == self.sizes.keys() and all(type(v) is int for v in record.values())


Subject = WholeRecords | Interviewed
RECORDS = WholeRecords()


# ------------------------------------------------------------------ hostile bodies


@dataclass(frozen=True)
class Body:
    """A body to send, and what must come of it.

    Parameters
    ----------
    number : int
    kind : str
        Its content type.
    content : bytes
    record : mapping or None
        What it says, where that is a record.
    canaries : tuple of str
        What must not come back.
    """

    number: int
    kind: str
    content: bytes
    record: Sent | None = None
    canaries: tuple[str, ...] = ()

    @property
    def statuses(self) -> tuple[int, ...]:
        """What the answer may be."""
        return (400, 413, 415, 422) if self.record is None else (200, 201)


def bodies(count: int, subject: Subject = RECORDS, seed: int = 0) -> Iterator[Body]:
    """Yield bodies: of each ten about two are records, all others are refused by construction."""
    rng = random.Random(seed)
    strange: Iterator[Nearly] = iter(())
    for number in range(count):
        word = f"Zq{rng.randrange(10**9, 10**10)}x"
        figure = str(rng.randrange(10**6, 10**12))
        record = subject.draw(rng)
        if rng.random() < 0.25:
            kind, content = rng.choice(GOOD)(rng, record)
            yield Body(number, kind, content, record)
            continue
        nearly = next(strange, None)
        if nearly is None and rng.random() < 0.2:
            strange = subject.strange(rng)
            nearly = next(strange, None)
        if nearly is not None:
            kind, record, good = nearly
            content = (_json if kind == JSON else _form)(_pairs(rng, record, kind))
            yield Body(number, kind, content, record if good else None)
        elif rng.random() < 0.75:
            content = rng.choice(BAD_JSON)(rng, record, word, figure)
            yield Body(number, JSON, content, canaries=(word, figure))
        else:
            kind, content = rng.choice(BAD_FORMS)(rng, record, word, figure)
            yield Body(number, kind, content, canaries=(word, figure))


def _json(pairs: list[tuple[str, str]]) -> bytes:
    return ("{" + ", ".join(f"{json.dumps(name)}: {text}" for name, text in pairs) + "}").encode()


def _pairs(rng: random.Random, record: Sent, kind: str = JSON) -> list[tuple[str, str]]:
    write = json.dumps if kind == JSON else str
    pairs = [(name, write(value)) for name, value in record.items()]
    rng.shuffle(pairs)
    return pairs


def _form(pairs: list[tuple[str, str]]) -> bytes:
    return "&".join(f"{_quoted(name)}={_quoted(text)}" for name, text in pairs).encode()


def _quoted(text: str) -> str:
    return "".join(
        sign if sign.isascii() and sign.isalnum() else "".join(f"%{b:02X}" for b in sign.encode())
        for sign in text
    )


def _escaped(rng: random.Random, record: Sent) -> tuple[str, bytes]:
    names = ["".join(f"\\u{ord(sign):04x}" for sign in name) for name in record]
    values = map(json.dumps, record.values())
    inside = ",".join(f'"{n}":{value}' for n, value in zip(names, values, strict=True))
    return f"{JSON}; charset=UTF-8", f" {{ {inside} }}\n".encode()


GOOD: list[Callable[..., tuple[str, bytes]]] = [
    lambda rng, record: (JSON, _json(_pairs(rng, record))),
    lambda rng, record: (FORM, _form(_pairs(rng, record, FORM))),
    _escaped,
]


def _value(text: str) -> Callable[..., bytes]:
    """Put something else in the place of one number."""

    def make(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
        pairs = _pairs(rng, record)
        place = rng.randrange(len(pairs))
        pairs[place] = pairs[place][0], text.replace("WORD", word).replace("FIGURE", figure)
        return _json(pairs)

    return make


def _more(text: str, name: str) -> Callable[..., bytes]:
    """Add a member."""

    def make(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
        pairs = _pairs(rng, record)
        called = rng.choice(list(record)) if name == "AGAIN" else name.replace("WORD", word)
        pairs.insert(rng.randrange(len(pairs) + 1), (called, text.replace("FIGURE", figure)))
        return _json(pairs)

    return make


def _whole(change: Callable[[bytes, str], bytes]) -> Callable[..., bytes]:
    """Change the body as a whole."""

    def make(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
        return change(_json(_pairs(rng, record)), word)

    return make


def _shorter(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
    return _json(_pairs(rng, record)[1:])


def _noise(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
    return rng.randbytes(rng.randrange(200)) + word.encode()


def _flipped(rng: random.Random, record: Sent, word: str, figure: str) -> bytes:
    content = bytearray(_json([*_pairs(rng, record), (word, figure)]))
    for _ in range(rng.randrange(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


BAD_JSON: list[Callable[..., bytes]] = [
    *map(_value, ["FIGURE", "-FIGURE", "FIGURE.5", "1.0", "1e0", "0.0", "true", "false", "null",
                  '"1"', '"WORD"', '["WORD"]', '{"WORD": FIGURE}', "NaN", "Infinity", "-1",
                  "FIGURE" * 40, "1e999", '"\\ud800WORD"', "[" * 900 + "FIGURE" + "]" * 900]),
    *(_more("0", name) for name in ["WORD", "AGAIN", "", " ", "Age", "age ", "n", "day", "race"]),
    _more("FIGURE", "WORD"), _more("FIGURE", "AGAIN"), _more('"FIGURE"', "__proto__"),
    _whole(lambda body, word: body + word.encode()),
    _whole(lambda body, word: word.encode() + body),
    _whole(lambda body, word: b"[" + body + b"]"),
    _whole(lambda body, word: body[:-1]),
    _whole(lambda body, word: body[:-1] + b",}"),
    _whole(lambda body, word: body.replace(b'"', b"'")),
    _whole(lambda body, word: b"\xef\xbb\xbf" + body),
    _whole(lambda body, word: body.decode().encode("utf-16")),
    _whole(lambda body, word: body + b"\xff"),
    _whole(lambda body, word: body + b" " * 5000 + word.encode()),
    _whole(lambda body, word: body + b" " * 4097),
    _whole(lambda body, word: b'"' + word.encode() + b'"'),
    _whole(lambda body, word: b""),
    _whole(lambda body, word: body + body),
    _whole(lambda body, word: b"/*" + word.encode() + b"*/" + body),
    _whole(lambda body, word: b"<!doctype html><script>" + word.encode() + b"</script>"),
    _shorter, _noise, _flipped,
]  # fmt: skip


def _form_value(text: str) -> Callable[..., tuple[str, bytes]]:
    def make(rng: random.Random, record: Sent, word: str, figure: str) -> tuple[str, bytes]:
        pairs = _pairs(rng, record, FORM)
        place = rng.randrange(len(pairs))
        pairs[place] = pairs[place][0], text.replace("WORD", word).replace("FIGURE", figure)
        return FORM, _form(pairs)

    return make


def _form_more(name: str, text: str) -> Callable[..., tuple[str, bytes]]:
    def make(rng: random.Random, record: Sent, word: str, figure: str) -> tuple[str, bytes]:
        called = rng.choice(list(record)) if name == "AGAIN" else name.replace("WORD", word)
        more = called, text.replace("FIGURE", figure)
        return FORM, _form([*_pairs(rng, record, FORM), more])

    return make


def _other_kind(kind: str) -> Callable[..., tuple[str, bytes]]:
    def make(rng: random.Random, record: Sent, word: str, figure: str) -> tuple[str, bytes]:
        return kind.replace("WORD", word), _json([*_pairs(rng, record), (word, figure)])

    return make


BAD_FORMS: list[Callable[..., tuple[str, bytes]]] = [
    *map(_form_value, ["FIGURE", "WORD", "-1", "+1", "1.0", "01", " 1", "", "١", "1\0", "<b>WORD",
                       "0x1", "-0"]),
    _form_more("WORD", "FIGURE"), _form_more("AGAIN", "0"), _form_more("AGAIN", "FIGURE"),
    _form_more("", "FIGURE"),
    lambda rng, record, word, figure: (FORM, _form(_pairs(rng, record, FORM)[1:])),
    lambda rng, record, word, figure: (FORM, rng.randbytes(100) + word.encode()),
    lambda rng, record, word, figure: (FORM, b"age=%FF%ZZ&" + word.encode() + b"&" * 4000),
    *map(_other_kind, ["text/plain", "application/json; charset=WORD", "application/xml", "WORD",
                       "multipart/form-data; boundary=WORD", "application/json; charset=utf-16"]),
]  # fmt: skip


# ------------------------------------------------------------------ a served door


@dataclass
class Served:
    """`sparsam collect` in a process of its own.

    Parameters
    ----------
    folder : Path
        Where its files are.
    database : str or None
        Elsewhere than in the folder.
    options : tuple of str
    pinned : bool
        Whether it may use one core only.
    subject : WholeRecords or Interviewed
        What it collects.
    """

    folder: Path
    database: str | None = None
    options: tuple[str, ...] = ()
    pinned: bool = False
    subject: Subject = RECORDS
    port: int = 0
    said: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where its records are."""
        return self.database or str(self.folder / "people.db")

    def __enter__(self) -> Served:
        artifact = self.folder / self.subject.artifact
        if not artifact.exists():
            self.subject.source.save(artifact)
        words = ["-m", "sparsam", "collect", str(artifact), "--database", self.address,
                 "--keep-days", "90", "--port", "0", *self.options]  # fmt: skip
        first = ["taskset", "-c", "0"] if self.pinned else []
        self.process = subprocess.Popen(
            [*first, sys.executable, *words], stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError("".join(self.said))
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        return self

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def __exit__(self, *error: object) -> None:
        self.stop(signal.SIGTERM)

    def stop(self, sign: int) -> int:
        """Send a signal and wait for the end."""
        with suppress(ProcessLookupError):
            self.process.send_signal(sign)
        code = self.process.wait(60)
        self.listener.join(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def cpu(self) -> float:
        """CPU seconds that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """MB in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    @contextmanager
    def connect(self) -> Iterator[http.client.HTTPConnection]:
        """Begin to talk to it."""
        talk = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            yield talk
        finally:
            talk.close()

    def store(self) -> Store:
        """Open its store, beside it or after its end."""
        return Store.open(self.address, self.subject.source, keep_days=90)


# ------------------------------------------------------------------ what is measured


def keep(talk: http.client.HTTPConnection, record: Sent) -> str:
    """Send a record, and return its receipt."""
    talk.request("POST", "/records", json.dumps(record), {"Content-Type": JSON})
    reply = talk.getresponse()
    content = reply.read()
    assert reply.status == 201, reply.status
    receipt: str = json.loads(content)["receipt"]
    return receipt


class Load:
    """Clients that send records as fast as they are answered, until they are cut short.

    Parameters
    ----------
    served : Served
    clients : int
    """

    def __init__(self, served: Served, clients: int) -> None:
        self.receipts: list[str] = []
        self.cut = 0
        self._served = served
        self._threads = [threading.Thread(target=self._send) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _send(self) -> None:
        rng = random.Random(threading.get_ident())
        with self._served.connect() as talk:
            try:
                while True:
                    self.receipts.append(keep(talk, self._served.subject.draw(rng)))
            except (OSError, http.client.HTTPException):
                self.cut += 1

    def wait_for(self, count: int) -> None:
        """Wait for so many records, for half a minute at most."""
        limit = time.monotonic() + 30
        while len(self.receipts) < count and time.monotonic() < limit:
            time.sleep(0.001)

    def join(self) -> None:
        """Wait until all are cut short."""
        for thread in self._threads:
            thread.join()


def kill_under_load(
    folder: Path,
    kills: int,
    *,
    database: str | None = None,
    clients: int = 8,
    most: int = 100,
    seed: int = 0,
    subject: Subject = RECORDS,
) -> dict[str, int]:
    """Kill the service while records come in; return what was acknowledged, lost and kept twice.

    It is killed after up to `most` records. Every receipt that was given must take its record back
    exactly once, and what is left then may be no more than the requests that were cut short.
    """
    rng = random.Random(seed)
    total = {"kills": 0, "acknowledged": 0, "unanswered": 0, "lost": 0, "twice": 0}
    for _ in range(kills):
        with Served(folder, database, subject=subject) as served:
            with served.store() as store:
                before = store.count()
            load = Load(served, clients)
            load.wait_for(rng.randrange(1, most))
            served.stop(signal.SIGKILL)
            load.join()
        receipts, cut = load.receipts, load.cut
        with served.store() as store:
            for receipt in receipts:
                try:
                    store.forget(receipt)
                except Exception as error:  # noqa: BLE001 - each is a record that is not there
                    print(type(error).__name__, error)
                    total["lost"] += 1
            left = store.count() - before
            total["twice"] += max(0, left - cut)
            total["acknowledged"] += len(receipts)
            total["unanswered"] += cut
            total["kills"] += 1
        if database is None:
            for file in folder.glob("people.db*"):
                file.unlink()
    return total


def fuzz(served: Served, count: int, seed: int = 0) -> dict[str, int]:
    """Send hostile bodies to a served process; return what was accepted wrongly or echoed."""
    total = {"bodies": 0, "kept": 0, "accepted wrongly": 0, "refused wrongly": 0, "echoed": 0}
    canaries: list[str] = []
    with served.connect() as talk:
        for body in bodies(count, served.subject, seed):
            canaries.extend(body.canaries)
            total["bodies"] += 1
            # proxies send a body in chunks, without its length
            chunked = body.number % 4 == 0
            content = iter([body.content]) if chunked else body.content
            try:
                talk.request(
                    "POST", "/records", content, {"Content-Type": body.kind}, encode_chunked=chunked
                )
                reply = talk.getresponse()
            except ConnectionError:  # hung up on, which is a refusal too
                total["refused wrongly"] += body.record is not None
                talk.close()
                continue
            text = f"{reply.getheaders()} {reply.read().decode('utf-8', 'replace')}"
            total["kept"] += reply.status == 201
            total["accepted wrongly"] += reply.status == 201 and body.record is None
            total["refused wrongly"] += reply.status != 201 and body.record is not None
            total["echoed"] += any(word in text for word in body.canaries)
    said = "".join(served.said)
    total["echoed in the log"] = sum(word in said for word in canaries)
    files = b"".join(path.read_bytes() for path in served.folder.iterdir())
    total["echoed in the files"] = sum(word.encode() in files for word in canaries)
    total["lines said after the start"] = len(served.said) - 3
    return total


def slow_ones(served: Served, count: int = 50) -> dict[str, float]:
    """Leave requests half sent, send huge ones, and see that others are answered meanwhile."""
    head = "POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    halves = [
        b"", b"POST /rec", head.encode(), f"{head}Content-Length: 40\r\n\r\n".encode(),
        f'{head}Content-Length: 40\r\n\r\n{{"age"'.encode(),
        f"{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"age".encode(),
        f"{head}Content-Length: 1000000000\r\n\r\n".encode() + b"x" * 100_000,
    ]  # fmt: skip
    sockets = []
    for i in range(count):
        talk = socket.create_connection(("127.0.0.1", served.port))
        with suppress(OSError):
            talk.sendall(halves[i % len(halves)])
        sockets.append(talk)
    record = served.subject.draw(random.Random(0))
    start, answered = time.perf_counter(), 0
    for _ in range(100):
        with served.connect() as other:
            answered += bool(keep(other, record))
    while_waiting = time.perf_counter() - start
    open_still, cut_off = 0, 0
    limit = time.monotonic() + 40
    for talk in sockets:
        talk.settimeout(max(0.1, limit - time.monotonic()))
        try:
            while talk.recv(65536):
                pass
        except TimeoutError:
            open_still += 1
        except OSError:
            cut_off += 1
        talk.close()
    return {
        "half-sent requests": count,
        "others answered meanwhile, of 100": answered,
        "seconds for these": round(while_waiting, 3),
        "half-sent still open after 40 s": open_still,
        "half-sent cut off": cut_off,
        "seconds until the last was hung up on": round(time.perf_counter() - start, 1),
    }


def speed(served: Served, seconds: int, connections: int) -> dict[str, float]:
    """Measure with wrk, on the other core: records a second and CPU of the service for each."""
    script = served.folder / "records.lua"
    drawn = [served.subject.draw(random.Random(seed)) for seed in range(20)]
    record = json.dumps(max(drawn, key=len))
    script.write_text(
        f"wrk.method='POST' wrk.body='{record}' wrk.headers['Content-Type']='{JSON}'\n"
    )
    before = served.cpu()
    command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--latency",
               "-s", str(script), f"http://127.0.0.1:{served.port}/records"]  # fmt: skip
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = served.cpu() - before
    requests = int(re.search(r"(\d+) requests in", text)[1])  # type: ignore[index]
    latency = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    assert latency is not None
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return {
        "connections": connections,
        "records a second": round(requests / seconds),
        "CPU µs a record": round(used / requests * 1e6, 1),
        "99 % within ms": float(latency[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[latency[2]],
        "MB": round(served.memory(), 1),
        "failed": int(failed[1]) if failed else 0,
    }


MODEL = "model.joblib"


def save_model(folder: Path) -> tuple[str, ...]:
    """Save a forest that takes numbers of buckets, and return the options that serve it."""
    import joblib
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, size, 2_000) for size in SIZES.values()])
    forest = RandomForestClassifier(100, random_state=0).fit(codes, codes.sum(axis=1) > 5)
    joblib.dump(forest, folder / MODEL)
    return ("--model", str(folder / MODEL), "--trust-model", "--model-takes", "codes")


def memory(folder: Path, subject: Subject) -> Iterator[dict[str, float | str]]:
    """Yield how much memory the service takes for a thousand records, with and without a model."""
    models: list[tuple[str, tuple[str, ...]]] = [("no model", ())]
    if isinstance(subject, WholeRecords):
        models.append(("a forest of 100 trees, as a table", save_model(folder)))
    for name, options in models:
        with Served(folder, options=options, subject=subject) as served:
            rng = random.Random(0)
            with served.connect() as talk:
                for _ in range(1_000):
                    keep(talk, subject.draw(rng))
            yield {"model": name, "MB at most": round(served.memory(), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["speed", "fuzz", "kills", "slow", "memory"])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--questionnaire", action="store_true", help="collect interviews")
    parser.add_argument("--model", action="store_true", help="for speed: with a model behind")
    parser.add_argument("--database", help="postgresql://…, with SPARSAM_RECEIPT_KEY set")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    subject: Subject = Interviewed() if asked.questionnaire else RECORDS
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if asked.what == "kills":
            print(
                kill_under_load(
                    folder, asked.kills, database=asked.database, seed=asked.seed, subject=subject
                )
            )
            return
        if asked.what == "memory":
            for figures in memory(folder, subject):
                print(figures)
            return
        options = save_model(folder) if asked.model else ()
        pinned = asked.what == "speed"
        with Served(folder, asked.database, options, pinned=pinned, subject=subject) as served:
            if asked.what == "fuzz":
                print(fuzz(served, asked.bodies, asked.seed))
            elif asked.what == "slow":
                print(slow_ones(served))
            else:
                if shutil.which("wrk") is None:
                    sys.exit("wrk is not installed (Debian: apt-get install wrk)")
                for connections in (16, 100):
                    print(speed(served, asked.seconds, connections))
                with served.store() as store:
                    print({"kept": store.count()})


if __name__ == "__main__":
    main()
