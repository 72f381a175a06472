"""Questions to the model beside the conversation: summaries, small decisions. Counted like all others."""

from collections.abc import Callable, Sequence

from gemcli.api.model_client import ModelClient
from gemcli.api.retry import Retries
from gemcli.clock import Clock
from gemcli.errors import ApiError
from gemcli.events import ApiCallFinished, Event, Retrying
from gemcli.session.failure import failure
from gemcli.session.guards import Budget
from gemcli.wire import Content, GenerateRequest, StreamChunk


class SideCalls:
    def __init__(self, client: ModelClient, clock: Clock, retries: Callable[[], Retries], budget: Budget) -> None:
        self._client = client
        self._clock = clock
        self._new_retries = retries
        self._budget = budget

    async def generate(self, request: GenerateRequest, role: str, emit: Callable[[Event], None]) -> StreamChunk:
        """The whole answer; ApiError when all attempts have failed."""
        retries = self._new_retries()
        while True:
            self._budget.check(emit)
            started = self._clock.now()
            try:
                answer = await self._client.generate(request)
            except ApiError as problem:
                emit(ApiCallFinished(request.model, role, self._clock.now() - started, None, failure(problem)))
                delay = retries.wait_after(problem)
                if delay is None:
                    raise
                emit(Retrying(retries.failures, delay, problem.message))
                await self._clock.sleep(delay)
                continue
            emit(ApiCallFinished(request.model, role, self._clock.now() - started, answer.usage_metadata))
            return answer

    async def count(self, model: str, contents: Sequence[Content]) -> int:
        """How many tokens these are; one attempt."""
        return await self._client.count_tokens(model, contents)
