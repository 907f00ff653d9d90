"""The door: an ASGI app that takes generalized records and refuses everything finer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from sparsam._errors import MissingExtraError
from sparsam.collect._answer_table import plain_answer
from sparsam.collect._model_behind import ModelBehind, Takes
from sparsam.collect._target import record_sizes
from sparsam.collect.door._answers import Answering, answers_of
from sparsam.collect.door._interview import InterviewShape
from sparsam.collect.door._pages import Pages
from sparsam.collect.door._record import RecordShape, Refused
from sparsam.collect.door._reply import refusal_json, send_json, send_nothing, send_page
from sparsam.collect.door._request import (
    Disconnected,
    Kind,
    Receive,
    Scope,
    Send,
    body_of,
    kind_of,
    most_bytes,
)
from sparsam.collect.door._retention import delete_daily
from sparsam.collect.door._writer import Writer, note
from sparsam.collect.store._collected import Collected, CollectedInterviews
from sparsam.data import Category

if TYPE_CHECKING:
    from sparsam.collect.store._store import Store

Handler = Callable[[Scope, Receive, Send], Awaitable[None]]

_LONGEST_RECEIPT: Final = 1_000
_FAILED: Final = "Something went wrong here. Nothing was kept."
_NO_PAGE: Final = "There is nothing here."
_NO_RECORD: Final = (
    "No record belongs to this receipt: it was mistyped or used before, or the record was deleted "
    "after its time."
)


def collector(
    store: Store,
    *,
    model: Any = None,
    takes: Takes | None = None,
    form: bool = True,
    language: str = "en",
    labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
) -> Door:
    """Make a service that collects what a generalization or a questionnaire allows, nothing finer.

    An ASGI app, for uvicorn or any other server: ``GET /`` is the form, ``GET /schema`` what a
    record must look like, ``POST /records`` takes one as JSON or from the form and answers with a
    receipt once it is on disk, ``DELETE /records/{receipt}`` and the page ``/forget`` take it back,
    ``POST /predict`` asks the model and keeps nothing, ``GET /health`` is for whoever watches over
    it. What is refused is answered with what is allowed, never with what was sent; no address, no
    browser and no time is noted anywhere.

    Parameters
    ----------
    store : Store
    model : estimator, function, path, BlackBox or AnswerTable, optional
        What answers ``POST /predict``. Where there are at most a million different records, all
        are asked beforehand. A questionnaire may know all answers by itself.
    takes : {"labels", "codes"}, Recoding or None, default=None
        What the model is fed: labels of buckets, numbers of buckets, or what a recoding makes of
        them. None for a model with a `GeneralizationStep` inside, and for a questionnaire, which
        has its own recoding.
    form : bool, default=True
        Whether the form is served.
    language : str, default="en"
        Of the pages.
    labels : mapping, path or None, default=None
        The pages in your own words, see `Form`.

    Returns
    -------
    Door
        The app. It deletes records after their time by itself, when the server that runs it starts
        and then daily; where a server has several workers, each does.

    See Also
    --------
    Store : Where the records go.

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.collect import Store
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> ages = Generalization([numeric_partition("age", NumericDomain(0, 99), [17, 62])])
    >>> place = tempfile.TemporaryDirectory()
    >>> with Store.open(f"{place.name}/people.db", ages, keep_days=90) as store:
    ...     app = collector(store)  # and then, for example, uvicorn.run(app, access_log=False)
    >>> place.cleanup()
    """
    pages = Pages(store.collected, form=form, language=language, labels=labels)
    return Door(store, answers_of(model, store.collected, takes), pages)


class Door:
    """An ASGI app; see `collector`.

    Parameters
    ----------
    store : Store
    answers : AnswerTable, KnownAnswers, ModelBehind or None
    pages : Pages
    retention : bool, default=True
        Whether this process deletes records after their time; among several, one does.
    """

    def __init__(
        self,
        store: Store,
        answers: Answering | None,
        pages: Pages,
        *,
        retention: bool = True,
    ) -> None:
        self._store = store
        self._answers = answers
        self._pages = pages
        self._retention = retention
        self._writer = Writer(store)
        self._model_thread = ThreadPoolExecutor(1, thread_name_prefix="sparsam-model")
        self._records = _shape(store.collected, with_target=True)
        self._questions = _shape(store.collected, with_target=False)
        self._most = most_bytes(self._records.longest)
        self._router = self._routes()
        self._take_guarded = _Guarded(self._take)

    def _routes(self) -> Any:
        try:
            from starlette.routing import Route, Router
        except ImportError as error:
            raise MissingExtraError(
                "starlette is not installed.\n\nHint: pip install 'sparsam[serve]'"
            ) from error

        routes: list[tuple[str, str, Handler]] = [
            ("/records", "POST", self._take),
            ("/health", "GET", self._health),
            ("/schema", "GET", self._schema),
            ("/forget", "GET", self._ask_receipt),
            ("/forget", "POST", self._forget_by_form),
            ("/records/{receipt}", "DELETE", self._forget),
        ]
        if self._answers is not None:
            routes.append(("/predict", "POST", self._predict))
        if self._pages.form is not None:
            routes.append(("/", "GET", self._form))
        return Router(
            [Route(path, _Guarded(handler), methods=[method]) for path, method, handler in routes],
            redirect_slashes=False,  # it would answer with the address that came
            default=_Guarded(_nothing_here),
            lifespan=self._lifespan,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/records" and scope["method"] == "POST":
            await self._take_guarded(scope, receive, send)  # nearly all: without looking further
            return
        if "app" in scope:  # inside another app, which would answer in its own words
            scope = {name: value for name, value in scope.items() if name != "app"}
        await self._router(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, app: Any) -> AsyncIterator[None]:
        daily = None
        if self._retention:
            daily = asyncio.create_task(delete_daily(self._writer, self._store.expire))
        try:
            yield
        finally:
            if daily is not None:
                daily.cancel()
                with suppress(asyncio.CancelledError):
                    await daily
            await self._writer.finish()

    async def _form(self, scope: Scope, receive: Receive, send: Send) -> None:
        page, policy = self._pages.form or (b"", b"")
        await send_page(send, 200, page, policy)

    async def _schema(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send_json(send, 200, self._pages.schema)

    async def _health(self, scope: Scope, receive: Receive, send: Send) -> None:
        well = await self._writer.is_well()
        state = b"ok" if well else b"the store does not answer"
        await send_json(send, 200 if well else 503, b'{"status":"%s"}' % state)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = kind_of(scope)
        try:
            body = await body_of(scope, receive, self._most)
            receipt = await self._writer.add(_record(self._records, kind, body))
        except Refused as refused:
            await self._refuse(send, kind, refused)
            return
        if kind == "json":
            await send_json(send, 201, b'{"receipt":"%s"}' % receipt.encode("ascii"))
        else:
            await self._page(send, 201, self._pages.thanks(receipt))

    async def _predict(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = kind_of(scope)
        try:
            body = await body_of(scope, receive, self._most)
            codes = _record(self._questions, kind, body)
        except Refused as refused:
            await self._refuse(send, kind, refused)
            return
        answer = await self._answer(codes)
        if kind == "json":
            await send_json(send, 200, msgspec.json.encode({"answer": answer}))
        else:
            await self._page(send, 200, self._pages.answer(answer))

    async def _answer(self, codes: tuple[int, ...]) -> Category:
        answers = self._answers
        assert answers is not None
        if not isinstance(answers, ModelBehind):
            return answers.answer(codes)
        loop, record = asyncio.get_running_loop(), np.array([codes])
        given = await loop.run_in_executor(self._model_thread, answers.answers, record)
        return plain_answer(given.tolist()[0])

    async def _forget(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not await self._forgotten(scope["path_params"]["receipt"]):
            raise Refused(404, _NO_RECORD)
        await send_nothing(send, 204)

    async def _ask_receipt(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._page(send, 200, self._pages.forget())

    async def _forget_by_form(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.datastructures import QueryParams

        if kind_of(scope) != "form":
            raise Refused(415, "A receipt is sent by the form of this page.")
        body = await body_of(scope, receive)
        sent = QueryParams(body.decode("ascii", "replace")).multi_items()
        receipt = sent[0][1].strip() if len(sent) == 1 and sent[0][0] == "receipt" else ""
        if await self._forgotten(receipt):
            await self._page(send, 200, self._pages.forgotten())
        else:
            await self._page(send, 404, self._pages.not_forgotten())

    async def _forgotten(self, receipt: str) -> bool:
        from sparsam._errors import ReceiptError

        if not 0 < len(receipt) <= _LONGEST_RECEIPT:
            return False
        try:
            await self._writer.run(lambda: self._store.forget(receipt))
        except ReceiptError:  # which of the reasons it is helps only those who guess
            return False
        return True

    async def _refuse(self, send: Send, kind: Kind, refused: Refused) -> None:
        if kind == "json":
            raise refused
        await self._page(send, refused.status, self._pages.refused(refused))

    async def _page(self, send: Send, status: int, page: bytes) -> None:
        await send_page(send, status, page, self._pages.policy)


def _shape(collected: Collected, *, with_target: bool) -> RecordShape | InterviewShape:
    target = collected.target if with_target else None
    if isinstance(collected, CollectedInterviews):
        return InterviewShape(collected.interviews, target)
    return RecordShape(record_sizes(collected.generalization, target))


def _record(shape: RecordShape | InterviewShape, kind: Kind, body: bytes) -> tuple[int, ...]:
    return shape.from_json(body) if kind == "json" else shape.from_form(body)


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        await send({"type": "websocket.close", "code": 1000})
        return
    raise Refused(404, _NO_PAGE)


class _Guarded:
    """A handler whose errors are answers, and never messages of a library.

    Not a function, since Starlette would take one for something else than ASGI.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._handler(scope, receive, send)
        except Refused as refused:
            await send_json(send, refused.status, refusal_json(refused))
        except Disconnected:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, its message may hold values
            note(error)
            await send_json(send, 500, refusal_json(Refused(500, _FAILED)))
