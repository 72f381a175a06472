"""What tokens cost: an offline price list, for estimates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from gemcli.errors import ConfigError
from gemcli.wire import Usage

PRICES_OF = "2026-01"
SOURCE = "ai.google.dev/gemini-api/docs/pricing, paid tier, text"
LONG_PROMPT = 200_000  # tokens; some models cost more beyond
_MILLION = 1_000_000
_FIELDS = ("input", "output", "cached")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float

    def of(self, usage: Usage) -> float:
        """Thoughts are billed as output; what a tool of the service adds to the prompt, as input."""
        prompt, cached = usage.prompt_token_count or 0, usage.cached_content_token_count or 0
        fresh = max(0, prompt - cached) + (usage.tool_use_prompt_token_count or 0)
        output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        return (fresh * self.input + cached * self.cached + output * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Tariff:
    usual: Price
    long: Price | None = None

    def of(self, usage: Usage) -> float:
        is_long = self.long is not None and (usage.prompt_token_count or 0) > LONG_PROMPT
        return (self.long if is_long and self.long is not None else self.usual).of(usage)


_PRO_2_5 = Tariff(Price(1.25, 10.0, 0.125), Price(2.5, 15.0, 0.25))
_PRO_3 = Tariff(Price(2.0, 12.0, 0.2), Price(4.0, 18.0, 0.4))
PRICES: Mapping[str, Tariff] = {
    "gemini-2.0-flash": Tariff(Price(0.1, 0.4, 0.025)),
    "gemini-2.0-flash-lite": Tariff(Price(0.075, 0.3, 0.075)),
    "gemini-2.5-pro": _PRO_2_5,
    "gemini-2.5-flash": Tariff(Price(0.3, 2.5, 0.03)),
    "gemini-2.5-flash-lite": Tariff(Price(0.1, 0.4, 0.01)),
    "gemini-3-pro-preview": _PRO_3,
    "gemini-3-flash-preview": Tariff(Price(0.5, 3.0, 0.05)),
}


def price_list(own: Mapping[str, Any]) -> dict[str, Tariff]:
    """The list, with the user's own prices over it. ConfigError for an entry that is no price."""
    prices = dict(PRICES)
    for model, entry in own.items():
        fields = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
        if not {"input", "output"} <= set(fields) <= {"input", "output", "cached"} or not all(
            _is_price(value) for value in fields.values()
        ):
            raise ConfigError(
                f"billing.prices: {model} needs input and output, and may have cached: numbers of 0 or more."
            )
        input_, output, cached = (cast("float", fields.get(name, fields["input"])) for name in _FIELDS)
        prices[model] = Tariff(Price(input_, output, cached))
    return prices


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MILLION
