"""Questions that wait for a person."""

import asyncio
from collections.abc import Callable

from gemcli.events import Answer, Event, Question, QuestionAsked
from gemcli.ids import NewId


class Questions:
    """Asked by event, answered by method; whoever stops waiting withdraws the question."""

    def __init__(self, new_id: NewId) -> None:
        self._new_id = new_id
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    async def ask(self, question: Question, emit: Callable[[Event], None]) -> Answer:
        question_id = self._new_id("question")
        future = self._waiting[question_id] = asyncio.get_running_loop().create_future()
        emit(QuestionAsked(question_id, question))
        try:
            return await future
        except asyncio.CancelledError:
            emit(QuestionAsked(question_id, None))
            raise
        finally:
            del self._waiting[question_id]

    def answer(self, question_id: str, answer: Answer) -> None:
        """An answer to a question that is no longer open has no effect."""
        future = self._waiting.get(question_id)
        if future is not None and not future.done():
            future.set_result(answer)
