"""What a session used: counters folded from its events."""

from dataclasses import dataclass, field
from typing import Any

from gemcli.events import ApiCallFinished, DiffDisplay, Event, ToolCallChanged, ToolCallView
from gemcli.kinds import CallStatus
from gemcli.wire import Usage

DECISIONS = ("accept", "reject", "modify", "auto_accept")


@dataclass(slots=True)
class Tokens:
    prompt: int = 0
    candidates: int = 0
    total: int = 0
    cached: int = 0
    thoughts: int = 0
    tool: int = 0

    def add(self, usage: Usage) -> None:
        self.prompt += usage.prompt_token_count or 0
        self.candidates += usage.candidates_token_count or 0
        self.total += usage.total_token_count or 0
        self.cached += usage.cached_content_token_count or 0
        self.thoughts += usage.thoughts_token_count or 0
        self.tool += usage.tool_use_prompt_token_count or 0

    @property
    def input(self) -> int:
        """Prompt tokens that no cache held."""
        return max(0, self.prompt - self.cached)

    def to_json(self) -> dict[str, int]:
        names = ("input", "prompt", "candidates", "total", "cached", "thoughts", "tool")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Calls:
    """Requests of one model, in all or for one purpose."""

    requests: int = 0
    errors: int = 0
    latency: float = 0.0
    errors_by_type: dict[str, int] = field(default_factory=dict[str, int])
    tokens: Tokens = field(default_factory=Tokens)

    def add(self, call: ApiCallFinished) -> None:
        self.requests += 1
        self.latency += call.latency
        if call.error is not None:
            self.errors += 1
            self.errors_by_type[call.error.type] = self.errors_by_type.get(call.error.type, 0) + 1
        if call.usage is not None:
            self.tokens.add(call.usage)

    def api_json(self) -> dict[str, Any]:
        return {"totalRequests": self.requests, "totalErrors": self.errors, "totalLatencyMs": _ms(self.latency)}


@dataclass(slots=True)
class ModelStats:
    all: Calls = field(default_factory=Calls)
    roles: dict[str, Calls] = field(default_factory=dict[str, Calls])

    def add(self, call: ApiCallFinished) -> None:
        self.all.add(call)
        self.roles.setdefault(call.role, Calls()).add(call)

    def to_json(self) -> dict[str, Any]:
        api = self.all.api_json()
        if self.all.errors_by_type:
            api["errorsByType"] = self.all.errors_by_type
        roles = {role: calls.api_json() | {"tokens": calls.tokens.to_json()} for role, calls in self.roles.items()}
        return {"api": api, "tokens": self.all.tokens.to_json(), "roles": roles}


@dataclass(slots=True)
class ToolStats:
    count: int = 0
    success: int = 0
    duration: float = 0.0
    decisions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(DECISIONS, 0))

    def add(self, call: ToolCallView) -> None:
        self.count += 1
        self.success += call.status is CallStatus.SUCCESS
        self.duration += call.duration
        if call.decision in self.decisions:
            self.decisions[call.decision] += 1

    def to_json(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "success": self.success,
            "fail": self.count - self.success,
            "durationMs": _ms(self.duration),
            "decisions": self.decisions,
        }


class Stats:
    """Per model, per tool, per file. `add` takes every event; it minds the few that count."""

    def __init__(self) -> None:
        self.models: dict[str, ModelStats] = {}
        self.tools: dict[str, ToolStats] = {}
        self.all_tools = ToolStats()
        self.lines_added = 0
        self.lines_removed = 0

    def add(self, event: Event) -> None:
        if isinstance(event, ApiCallFinished):
            self.models.setdefault(event.model, ModelStats()).add(event)
        elif isinstance(event, ToolCallChanged) and event.call.status.is_final:
            self.tools.setdefault(event.call.name, ToolStats()).add(event.call)
            self.all_tools.add(event.call)
            if event.call.status is CallStatus.SUCCESS and isinstance(event.call.display, DiffDisplay):
                self._count_lines(event.call.display)

    def _count_lines(self, display: DiffDisplay) -> None:
        for line in display.diff.splitlines():
            self.lines_added += line.startswith("+") and not line.startswith("+++")
            self.lines_removed += line.startswith("-") and not line.startswith("---")

    def to_json(self) -> dict[str, Any]:
        """As `stats` of the json format has it."""
        tools = self.all_tools.to_json()
        return {
            "models": {name: model.to_json() for name, model in self.models.items()},
            "tools": {
                "totalCalls": tools["count"],
                "totalSuccess": tools["success"],
                "totalFail": tools["fail"],
                "totalDurationMs": tools["durationMs"],
                "totalDecisions": tools["decisions"],
                "byName": {name: tool.to_json() for name, tool in self.tools.items()},
            },
            "files": {"totalLinesAdded": self.lines_added, "totalLinesRemoved": self.lines_removed},
        }

    def to_short_json(self, duration: float) -> dict[str, Any]:
        """As the `result` event of stream-json has it."""
        models = {name: _short(model.all.tokens) for name, model in self.models.items()}
        totals = {name: sum(model[name] for model in models.values()) for name in _short(Tokens())}
        return {
            **totals,
            "duration_ms": _ms(duration),
            "tool_calls": self.all_tools.count,
            "models": models,
        }


def _short(tokens: Tokens) -> dict[str, int]:
    return {
        "total_tokens": tokens.total,
        "input_tokens": tokens.prompt,
        "output_tokens": tokens.candidates,
        "cached": tokens.cached,
        "input": tokens.input,
    }


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
