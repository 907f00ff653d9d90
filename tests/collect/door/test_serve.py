"""The service as processes: started, asked, stopped and killed as users and systems do."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from sparsam._errors import ParameterError, SparsamError
from sparsam.collect.door import _serve
from sparsam.collect.door._serve import Service, check, listen

from .stand_in import G

pytest.importorskip("uvicorn")
JSON = {"Content-Type": "application/json"}


def test_started_asked_stalled_and_stopped(hostile: Any, tmp_path: Path) -> None:
    """One process for several questions, as each takes a second to start."""
    record = dict.fromkeys(hostile.SIZES, 1)
    with hostile.Served(tmp_path) as served, served.connect() as talk:
        talk.request("GET", "/", headers={"User-Agent": "canary-browser/1"})
        reply = talk.getresponse()
        page = reply.read().decode()
        assert reply.status == 200
        assert "age" in page
        assert reply.getheader("server") is None
        assert reply.getheader("date") is None
        assert reply.getheader("content-security-policy", "").endswith("frame-ancestors 'none'")
        assert hostile.keep(talk, record)
        done = hostile.fuzz(served, 150, seed=3)
        wrong = [n for n in done if n not in ("bodies", "kept") and done[n]]
        assert not wrong, done
        # half a request, a huge one, and one that never ends its body do not stop the others
        halves = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(6)]
        for half in halves[:3]:
            half.sendall(b"POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: appl")
        for half in halves[3:]:
            half.sendall(
                b"POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b'Content-Length: 50\r\n\r\n{"age"'
            )
        with served.connect() as huge:
            huge.request("POST", "/records", b"x" * 60_000, JSON)
            reply = huge.getresponse()
            assert reply.status == 413
            assert reply.getheader("connection") == "close"
        assert hostile.keep(talk, record)
        with served.store() as store:
            assert store.count() == done["kept"] + 2
        for half in halves[3:]:
            half.close()
        before = time.monotonic()
        assert served.stop(signal.SIGINT) == 0
        assert time.monotonic() - before < 15
        for half in halves:
            half.close()
    said = "".join(served.said)
    assert "Stopped." in said
    assert "canary" not in said
    assert "127.0.0.1:" not in said.replace(f"http://127.0.0.1:{served.port}/", "")
    assert "Traceback" not in said


def test_what_is_taken_is_answered_at_the_end(hostile: Any, tmp_path: Path) -> None:
    """Several workers; stopped under load: each client has a whole answer, or none at all."""
    with hostile.Served(tmp_path, options=("--workers", "2")) as served:
        load = hostile.Load(served, 6)
        load.wait_for(20)
        assert served.stop(signal.SIGTERM) == 0
        load.join()
    assert len(load.receipts) >= 20
    with served.store() as store:
        # gently stopped, nobody was cut short in the middle of a record
        assert store.count() == len(load.receipts)
    assert "Traceback" not in "".join(served.said)


def test_killed_under_load_nothing_is_lost_or_kept_twice(hostile: Any, tmp_path: Path) -> None:
    """`benchmarks/door.py kills` does it two hundred times."""
    kills = int(os.environ.get("SPARSAM_KILLS", "1"))
    total = hostile.kill_under_load(tmp_path, kills, clients=4, most=20)
    assert total["acknowledged"] > 0
    assert (total["kills"], total["lost"], total["twice"]) == (kills, 0, 0)


def test_a_questionnaire_is_served_too(hostile: Any, tmp_path: Path) -> None:
    """Two workers, who are given the questionnaire; then one that is killed under load."""
    subject = hostile.Interviewed()
    with hostile.Served(tmp_path, options=("--workers", "2"), subject=subject) as served:
        done = hostile.fuzz(served, 150, seed=5)
        assert not [n for n in done if n not in ("bodies", "kept") and done[n]], done
        assert done["kept"] > 20
        with served.store() as store:
            assert store.count() == done["kept"]
    said = "".join(served.said)
    assert "Collects up to 3 answers of each person: age, education, relationship." in said
    assert "Traceback" not in said
    for file in tmp_path.glob("people.db*"):
        file.unlink()
    total = hostile.kill_under_load(tmp_path, 1, clients=4, most=20, subject=subject)
    assert total["acknowledged"] > 0
    assert (total["kills"], total["lost"], total["twice"]) == (1, 0, 0)


def test_where_a_table_answers_no_model_is_kept_in_memory(hostile: Any, tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    with hostile.Served(tmp_path, options=hostile.save_model(tmp_path)) as served:
        record = dict.fromkeys(hostile.SIZES, 1)
        with served.connect() as talk:
            talk.request("POST", "/predict", json.dumps(record), JSON)
            assert json.loads(talk.getresponse().read()) == {"answer": False}
        maps = Path(f"/proc/{served.process.pid}/maps")
        if maps.exists():
            assert "sklearn" not in maps.read_text()


def test_a_port_that_is_taken() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ParameterError, match=rf"port {port} .*: Address already in use\."):
            listen("127.0.0.1", port)
    with pytest.raises(ParameterError, match=r"Nothing can listen on port 80 of 203\.0\.113\.7"):
        listen("203.0.113.7", 80)
    with pytest.raises(ParameterError, match="Nothing can listen"):
        listen("no.such.host.invalid", 0)


def test_another_family_of_addresses() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        with listen("::1", 0) as listener:
            assert listener.family == socket.AF_INET6
    except ParameterError:
        pytest.skip("no IPv6 here")


def test_everything_is_opened_before(tmp_path: Path) -> None:
    service = Service(G, str(tmp_path / "people.db"), 30)
    check(service)
    with service.store() as store:
        assert store.count() == 0
    with pytest.raises(ParameterError, match="language"):
        check(Service(G, str(tmp_path / "people.db"), 30, language="xx"))


class Ended:
    """A process that ends at once."""

    sentinel = -1

    def is_alive(self) -> bool:
        return False


def test_workers_that_end_at_once_are_not_started_for_ever(monkeypatch: Any) -> None:
    monkeypatch.setattr(_serve, "wait", lambda sentinels, timeout: None)
    started = []

    def start() -> Any:
        started.append(1)
        return Ended()

    crew = _serve._Crew(start, 2)
    crew.look_after()
    with pytest.raises(SparsamError, match="end as soon as they have begun"):
        crew.look_after()
    assert len(started) <= 6
