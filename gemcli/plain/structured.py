"""A run whose answer must be JSON of a given shape: checked before anything of it is printed."""

from gemcli.events import ContentCommitted, Event, Failure, Retrying, TextDelta, TurnEnd, TurnFinished
from gemcli.plain.output import Output
from gemcli.session.answer_schema import AnswerSchema, unfenced
from gemcli.wire import text_content

FAILED = "Failed to parse Gemini response"


class Structured:
    """Stands before an output and holds the model's words back until they have been judged."""

    def __init__(self, schema: AnswerSchema, output: Output) -> None:
        self._schema = schema
        self._output = output
        self._words: list[str] = []
        self._text = ""
        self.end: TurnFinished | None = None

    def add(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._words.append(text)
                return
            case ContentCommitted(_, content) if content.role == "model":
                self._text = "".join(self._words)
                self._words.clear()
            case Retrying():
                self._words.clear()
            case TurnFinished():
                self.end = event
                return
            case _:
                pass
        self._output.add(event)

    async def problem(self) -> str:
        return await self._schema.problem(unfenced(self._text))

    def release(self) -> None:
        """The answer holds good: print it."""
        self._say(unfenced(self._text))
        self._output.add(TurnFinished(TurnEnd.DONE))

    def give_up(self, problem: str) -> Failure:
        """The answer stays what it was; the raw text is kept where the format has a place for it."""
        failure = Failure("InvalidAnswer", f"{FAILED}: {problem}", raw=self._text)
        self._say(self._text)
        self._output.add(TurnFinished(TurnEnd.ERROR, failure))
        return failure

    def _say(self, text: str) -> None:
        self._output.add(TextDelta(text))
        self._output.add(ContentCommitted("", text_content("model", text)))
