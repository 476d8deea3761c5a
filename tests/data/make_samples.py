"""Write the bundled sample rollouts: `python -m tests.data.make_samples [FOLDER]`, by default tests/data/samples.

The same bytes every time; samples/README.md says what each session holds and what a memory should make of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.data import sessions_orders_api as orders_api
from tests.data import sessions_storefront as storefront
from tests.support.rollouts import Rollout

SAMPLES = Path(__file__).parent / "samples"


def sessions() -> list[Rollout]:
    """All sample sessions, in the order in which they happened."""
    return [
        orders_api.duplicate_orders(),
        storefront.cart_badge(),
        orders_api.refunds_table(),
        storefront.address_form(),
        orders_api.nothing_to_keep(),
        orders_api.stale_readme(),
        storefront.vite_upgrade(),
        orders_api.slow_export(),
    ]


def main(folder: Path) -> None:
    """Write every session, and take away files of sessions that are no more."""
    written = {session.write(folder, flat=True) for session in sessions()}
    for left in set(folder.glob("rollout-*.jsonl")) - written:
        left.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
