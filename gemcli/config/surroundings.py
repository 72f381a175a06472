"""What a run finds around it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gemcli.clock import Clock
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings
from gemcli.redact import Redactor


@dataclass(frozen=True, slots=True)
class Surroundings:
    env: Mapping[str, str]
    paths: Paths
    settings: Settings
    clock: Clock
    redactor: Redactor
