"""The one door to jinja2."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from memkit import resources

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: object) -> str:
    """A template of templates/ with these values; a name that it uses and does not get is an error."""
    return _environment(resources.template_dir()).get_template(template).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
