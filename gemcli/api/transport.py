"""Three ways to the same models: each knows its URLs and the envelope around a request."""

import json
from dataclasses import dataclass
from typing import Protocol, cast
from urllib.parse import quote

from gemcli.wire import Content, GenerateRequest

Json = dict[str, object]


class Transport(Protocol):
    @property
    def base_url(self) -> str: ...

    def url(self, model: str, method: str) -> str: ...

    def body(self, request: GenerateRequest) -> bytes:
        """A generate request as it goes out."""
        ...

    def count_body(self, model: str, contents: list[Content]) -> bytes: ...

    def unwrap(self, answer: object) -> object:
        """The answer inside the envelope."""
        ...


class _Bare:
    """No envelope: the request and the answer as they are."""

    __slots__ = ()

    def body(self, request: GenerateRequest) -> bytes:
        return request.body()

    def count_body(self, model: str, contents: list[Content]) -> bytes:
        return _contents_body(contents)

    def unwrap(self, answer: object) -> object:
        return answer


@dataclass(frozen=True, slots=True)
class GeminiTransport(_Bare):
    """The Gemini API with an API key."""

    base_url: str
    version: str = "v1beta"

    def url(self, model: str, method: str) -> str:
        return f"{self.base_url}/{self.version}/{_resource(model, ('models', 'tunedModels'))}:{method}"


@dataclass(frozen=True, slots=True)
class VertexTransport(_Bare):
    """Vertex AI: by project and location, or in express mode (an API key and neither)."""

    base_url: str
    version: str = "v1beta1"
    project: str | None = None
    location: str | None = None

    def url(self, model: str, method: str) -> str:
        scope = f"projects/{quote(self.project)}/locations/{quote(self.location or '')}/" if self.project else ""
        if model.startswith("publishers/"):
            resource = quote(model)
        else:
            resource = f"publishers/google/{_resource(model, ('models',))}"
        return f"{self.base_url}/{self.version}/{scope}{resource}:{method}"


@dataclass(frozen=True, slots=True)
class CodeAssistTransport:
    """Code Assist, for people who sign in: the model and the project travel in the body."""

    base_url: str
    session_id: str
    version: str = "v1internal"
    project: str | None = None

    def url(self, model: str, method: str) -> str:
        return self.method_url(method)

    def method_url(self, method: str) -> str:
        return f"{self.base_url}/{self.version}:{method}"

    def body(self, request: GenerateRequest) -> bytes:
        head: Json = {"model": request.model}
        if self.project:
            head["project"] = self.project
        head["user_prompt_id"] = request.prompt_id
        inner = request.body()[:-1] + b',"session_id":' + _dumps(self.session_id) + b"}"
        return _dumps(head)[:-1] + b',"request":' + inner + b"}"

    def count_body(self, model: str, contents: list[Content]) -> bytes:
        inner = b'{"model":' + _dumps(f"models/{model.removeprefix('models/')}") + b"," + _contents_body(contents)[1:]
        return b'{"request":' + inner + b"}"

    def unwrap(self, answer: object) -> object:
        if isinstance(answer, dict) and "response" in answer:
            return cast("Json", answer)["response"]
        return cast("object", answer)


def _resource(model: str, collections: tuple[str, ...]) -> str:
    """`models/NAME`; a name that says its collection keeps it."""
    collection, slash, name = model.partition("/")
    if slash and collection in collections:
        return f"{collection}/{quote(name, safe='')}"
    return f"models/{quote(model, safe='')}"


def _contents_body(contents: list[Content]) -> bytes:
    return b'{"contents":[' + b",".join(content.to_bytes() for content in contents) + b"]}"


def _dumps(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
