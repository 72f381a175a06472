"""What a session cost, as far as prices are known: a fold over its model calls."""

from collections.abc import Mapping
from typing import Any

from gemcli.api.prices import PRICES_OF, SOURCE, Tariff
from gemcli.events import ApiCallFinished, Event


class Cost:
    """An estimate in US dollars. One call without a known price makes the sum unknown, and that is said."""

    def __init__(self, prices: Mapping[str, Tariff]) -> None:
        self._prices = prices
        self._usd = 0.0
        self._unknown: dict[str, None] = {}
        self._uncounted = 0

    def add(self, event: Event) -> None:
        if not isinstance(event, ApiCallFinished):
            return
        if event.usage is None:
            self._uncounted += event.error is None
            return
        tariff = self._prices.get(event.model)
        if tariff is None:
            self._unknown[event.model] = None
        else:
            self._usd += tariff.of(event.usage)

    @property
    def usd(self) -> float:
        """The sum of what has a known price."""
        return self._usd

    def to_json(self) -> dict[str, Any]:
        prices_of = f"{PRICES_OF} ({SOURCE})"
        if self._unknown:
            why = f"no price is known for {', '.join(self._unknown)}; billing.prices in settings can name one"
            return {"usd": None, "prices_of": prices_of, "reason": why}
        if self._uncounted:
            why = f"the service did not count the tokens of {self._uncounted} answers"
            return {"usd": None, "prices_of": prices_of, "reason": why}
        return {"usd": round(self._usd, 8), "prices_of": prices_of}
