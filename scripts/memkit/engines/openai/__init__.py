"""The model engine: both stages by a server that speaks OpenAI's Responses API or chat completions.

The only user of the `openai` package; imported only when the user chose a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from memkit.config import Config
from memkit.engines.base import Answers, Inputs, Limits
from memkit.engines.openai import consolidation, extraction
from memkit.engines.openai.consolidation import Way
from memkit.engines.openai.meter import Meter
from memkit.engines.openai.server import Server, Settings
from memkit.errors import ConfigError
from memkit.model import Drafts, Evidence, StageOne, Version

__all__ = ["OpenAIEngine", "Settings"]


@dataclass
class OpenAIEngine:
    """Extraction and consolidation by a model. One for a run: its cap on tokens holds for both stages together."""

    config: Config
    settings: Settings
    limits: Limits
    answers: Answers
    name: str = "openai"
    _asking: Lock = field(default_factory=Lock)

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        """As base.Engine says."""
        return extraction.ask(
            self._server,
            evidence,
            version=version,
            model=self._models[0],
            max_output=self.config.openai.max_output_tokens,
        )

    def consolidate(self, inputs: Inputs) -> Drafts:
        """As base.Engine says."""
        way = Way(
            model=self._models[1],
            mode=self.config.consolidation.mode,
            max_output=self.config.openai.max_output_tokens,
            cap=self.config.openai.max_tokens_per_run,
        )
        return consolidation.consolidate(self._server, inputs, way=way)

    def close(self) -> None:
        """As base.Engine says."""
        if (server := self.__dict__.get("_server")) is not None:
            server.close()

    @property
    def tokens_used(self) -> int:
        """Tokens of the run so far, failed questions included."""
        return self._meter.used

    @cached_property
    def _meter(self) -> Meter:
        return Meter(cap=self.config.openai.max_tokens_per_run)

    @cached_property
    def _server(self) -> Server:
        return Server(self.settings, meter=self._meter, answers=self.answers)

    @property
    def _models(self) -> tuple[str, str]:
        with self._asking:  # one thread asks, the others wait for what it learns
            return self._chosen

    @cached_property
    def _chosen(self) -> tuple[str, str]:
        """(model of stage 1, model of stage 2); each stands for the other where one is not set."""
        memories = self.config.memories
        one = memories.extract_model or memories.consolidation_model
        two = memories.consolidation_model or memories.extract_model
        if one and two:
            return one, two
        found = self._server.models()
        if len(found) == 1:
            return found[0], found[0]
        shown = f"; the server has {', '.join(sorted(found)[:5])}" if found else ""
        raise ConfigError(f"no model is chosen{shown}", mend="set memories.extract_model")
