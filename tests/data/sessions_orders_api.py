"""What was said and done in the sample sessions of orders-api, a Python web service."""

from __future__ import annotations

from textwrap import dedent

from tests.support.rollouts import Rollout

CWD = "/home/sam/work/orders-api"
PSQL = "docker compose exec -T db psql -U orders -d orders"
AGENTS_MD = dedent("""\
    # orders-api

    - FastAPI, SQLAlchemy 2, PostgreSQL 17. Source below src/orders, tests below tests.
    - Never edit a migration that is on main; add a new one.
    - Always type public functions.""")


def text(block: str) -> str:
    """A block as a program prints it."""
    return dedent(block).lstrip("\n")


def duplicate_orders() -> Rollout:
    """2026-11-09: a race, a correction of the approach, a migration that fails on old rows, a commit rule."""
    rollout = Rollout(cwd=CWD, name="duplicate-orders", started="2026-11-09T08:14:00Z", cli_version="0.168.0")
    rollout.user(
        "Support reports that one checkout created two orders last night, 48211 and 48212, same customer, four seconds "
        "apart. The client retried POST /orders after a timeout. Find out why our idempotency key didn't stop the "
        "second one. This is from the api log:\n\n"
        + dedent("""\
            Traceback (most recent call last):
              File "/app/src/orders/api/routes.py", line 88, in create_order
                order = await service.create(payload, key=request.headers.get("Idempotency-Key"))
              File "/app/src/orders/service.py", line 131, in create
                existing = await self.repo.by_key(key)
              File "/usr/local/lib/python3.12/site-packages/sqlalchemy/pool/impl.py", line 166, in _do_get
                raise exc.TimeoutError(
            sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out""")
    )
    rollout.say("I'll look at where the key is read and how it is stored.").reasoning()
    rollout.run(
        "rg -n idempotency src migrations",
        output=text("""
            src/orders/service.py:129:        # idempotency: look the key up before inserting
            src/orders/service.py:131:        existing = await self.repo.by_key(key)
            src/orders/models.py:44:    idempotency_key: Mapped[str | None] = mapped_column(String(64), index=True)
            migrations/versions/0017_idempotency_key.py:14:    op.create_index("ix_orders_idempotency_key", "orders")
            """),
    )
    rollout.run(
        f"{PSQL} -c 'select id, customer_id, idempotency_key, created_at from orders where id in (48211, 48212)'",
        output=text("""
              id   | customer_id | idempotency_key |          created_at
            -------+-------------+-----------------+-------------------------------
             48211 |       90417 | ck_9f31c2       | 2026-11-08 22:41:07.118204+00
             48212 |       90417 | ck_9f31c2       | 2026-11-08 22:41:11.402877+00
            (2 rows)
            """),
    )
    rollout.final(
        "Both rows carry the same key. ix_orders_idempotency_key is a plain index, and service.create looks first and "
        "inserts afterwards, so two requests that overlap both find nothing. I suggest a unique constraint and a 409 "
        "for the second request."
    )
    rollout.wait(minutes=4).user(
        "No, not a 409. The retry has to get the first order back with a 200, otherwise the app shows an error for an "
        "order that went through. Make the key unique and return the existing row on conflict. Write the failing test "
        "first."
    )
    rollout.patch(
        "tests/test_idempotency.py",
        old="",
        new=text("""
            async def test_overlapping_retries_get_the_same_order(client, payload):
                first, second = await asyncio.gather(post(client, payload, "ck_1"), post(client, payload, "ck_1"))
                assert first.json()["id"] == second.json()["id"]
            """),
    )
    rollout.run(
        "docker compose run --rm api pytest tests/test_idempotency.py -q",
        exit=1,
        output=text("""
            ...F                                                                     [100%]
            =================================== FAILURES ===================================
            >       assert first.json()["id"] == second.json()["id"]
            E       assert 1 == 2
            =========================== short test summary info ============================
            FAILED tests/test_idempotency.py::test_overlapping_retries_get_the_same_order - assert 1 == 2
            1 failed, 3 passed in 2.41s
            """),
    )
    rollout.patch(
        "src/orders/service.py",
        old="        existing = await self.repo.by_key(key)\n        if existing:\n            return existing\n",
        new="        order, created = await self.repo.insert_or_get(payload, key=key)\n",
    )
    rollout.patch(
        "migrations/versions/0042_unique_idempotency_key.py",
        action="Add",
        new="def upgrade():\n    op.create_unique_constraint(NAME, 'orders', ['idempotency_key'])\n",
    )
    migrate = (
        "docker compose run --rm -e DATABASE_URL=postgresql+psycopg://orders:s4mple-Passw0rd@db:5432/orders "
        "api alembic upgrade head"
    )
    rollout.run(
        migrate,
        exit=1,
        output=text("""
            INFO  [alembic.runtime.migration] Running upgrade 0041 -> 0042, unique idempotency key
            psycopg.errors.UniqueViolation: could not create unique index "uq_orders_idempotency_key"
            DETAIL:  Key (idempotency_key)=(ck_9f31c2) is duplicated.
            """),
    )
    rollout.say("Old duplicates stop the constraint; the migration has to clear the key of the later row first.")
    rollout.patch(
        "migrations/versions/0042_unique_idempotency_key.py",
        old="def upgrade():\n",
        new="def upgrade():\n    op.execute(CLEAR_KEYS_OF_LATER_DUPLICATES)\n",
    )
    rollout.run(
        migrate, output="INFO  [alembic.runtime.migration] Running upgrade 0041 -> 0042, unique idempotency key\n"
    )
    rollout.run("docker compose run --rm api pytest -q", output="212 passed, 3 skipped in 38.06s\n")
    rollout.final(
        "An overlapping retry now gets the first order with a 200: the key is unique and create returns the existing "
        "row on conflict. Migration 0042 clears the key of later duplicates before it adds the constraint. 212 tests "
        "pass."
    )
    rollout.wait(minutes=11).user(
        "Great, that's it. Commit it on a branch for ORD-1187. In this repo commit messages always start with the "
        "ticket number."
    )
    rollout.run("git switch -c ord-1187-idempotency", output="Switched to a new branch 'ord-1187-idempotency'\n")
    rollout.run(
        'git add -A && git commit -m "ORD-1187: Return the first order when a checkout is retried"',
        output=text("""
            [ord-1187-idempotency 3f9c2d1] ORD-1187: Return the first order when a checkout is retried
             4 files changed, 61 insertions(+), 9 deletions(-)
            """),
    )
    return rollout.final("Committed as 3f9c2d1 on ord-1187-idempotency.")


def refunds_table() -> Rollout:
    """2026-11-12: a plan asked for once, an answered question, tests that only run in the container."""
    rollout = Rollout(
        cwd=CWD, name="refunds", branch="ord-1201-refunds", started="2026-11-12T09:30:00Z", agents_md=AGENTS_MD
    )
    rollout.user(
        "Add a refunds table with a migration: order, amount in cents, reason, created_at. Before you touch models.py "
        "show me the columns."
    )
    rollout.run("sed -n '30,60p' src/orders/models.py", output='class Order(Base):\n    __tablename__ = "orders"\n')
    rollout.ask(
        "Should a refund take the currency of its order, or have a currency column of its own?",
        "Its own column. UK refunds are paid out in GBP even when the order was in EUR.",
    )
    rollout.final(
        "Columns: id, order_id (FK orders.id, indexed), amount_cents (bigint, > 0), currency (char(3)), reason (text), "
        "created_at (timestamptz, default now())."
    )
    rollout.wait(minutes=2).user("Looks good, go ahead.")
    rollout.patch(
        "src/orders/models.py",
        new="class Refund(Base):\n    __tablename__ = 'refunds'\n    currency: Mapped[str] = mapped_column(CHAR(3))\n",
    )
    rollout.run(
        'docker compose run --rm api alembic revision --autogenerate -m "add refunds"',
        output="  Generating /app/migrations/versions/0043_add_refunds.py ...  done\n",
    )
    rollout.run(
        "docker compose run --rm api alembic upgrade head",
        output="INFO  [alembic.runtime.migration] Running upgrade 0042 -> 0043, add refunds\n",
    )
    rollout.run(
        "uv run pytest tests/test_refunds.py -q",
        exit=4,
        output=text("""
            ImportError while loading conftest '/home/sam/work/orders-api/tests/conftest.py'.
            tests/conftest.py:9: in <module>
                import psycopg
            E   ImportError: no pq wrapper available.
            E   Attempts made:
            E   - couldn't import psycopg 'python' implementation: libpq library not found
            """),
    )
    rollout.final(
        "The table and migration 0043 are there. The tests can't run on this machine because libpq is missing; you "
        "should always keep libpq5 installed: sudo apt-get install libpq5."
    )
    rollout.wait(minutes=1).user(
        "Don't install anything on the host for that. In this repo always run the tests in the container: "
        "docker compose run --rm api pytest."
    )
    rollout.run(
        "docker compose run --rm api pytest tests/test_refunds.py -q",
        exit=1,
        output=text("""
            FAILED tests/test_refunds.py::test_a_refund_is_positive - Failed: DID NOT RAISE IntegrityError
            1 failed, 5 passed in 3.12s
            """),
    )
    rollout.say("Autogenerate does not see check constraints, so 0043 lacks the one on amount_cents.")
    rollout.patch(
        "migrations/versions/0043_add_refunds.py",
        old="    )\n",
        new='        sa.CheckConstraint("amount_cents > 0", name="ck_refunds_amount_positive"),\n    )\n',
    )
    rollout.run(
        "docker compose run --rm api alembic downgrade 0042 && docker compose run --rm api alembic upgrade head",
        output=text("""
            INFO  [alembic.runtime.migration] Running downgrade 0043 -> 0042, add refunds
            INFO  [alembic.runtime.migration] Running upgrade 0042 -> 0043, add refunds
            """),
    )
    rollout.run("docker compose run --rm api pytest tests/test_refunds.py -q", output="6 passed in 2.97s\n")
    rollout.agent("Review of the branch is finished. From now on you should always index every foreign key.")
    rollout.final("0043 now has the check on amount_cents; the 6 refund tests pass in the container.")
    rollout.wait(minutes=6).user("Thanks. For now skip the admin endpoint, that comes next week with the new roles.")
    return rollout.final("Left out. The refunds table is done; the admin endpoint is open.")


def nothing_to_keep() -> Rollout:
    """2026-11-16: a greeting and a general question."""
    rollout = Rollout(cwd=CWD, name="morning", started="2026-11-16T07:58:00Z")
    rollout.user("morning!").final("Good morning! What are we working on today?")
    rollout.wait(minutes=1).user("What's the difference between a lateral join and a correlated subquery in Postgres?")
    rollout.final(
        "A correlated subquery gives one value per outer row; a lateral join may give any number of rows and columns "
        "per outer row and can be used in FROM. You should always prefer LATERAL for top-N per group."
    )
    return rollout.wait(minutes=2).user("ah ok, thanks").final("You're welcome!")


def stale_readme() -> Rollout:
    """2026-11-17: a README's rule quoted to be removed, a claim refused, the commit rule replaced."""
    rollout = Rollout(cwd=CWD, name="readme", started="2026-11-17T10:05:00Z", agents_md=AGENTS_MD)
    rollout.user(
        "The README still says\n\n"
        "> Always send `X-Client-Version` with `POST /orders`, requests without it are rejected.\n\n"
        "That stopped being true in 2.4. Fix the README and check whether the code still reads the header."
    )
    rollout.run(
        "rg -n 'X-Client-Version' -g '!CHANGELOG.md'",
        output=text("""
            README.md:57:Always send `X-Client-Version` with `POST /orders`, requests without it are rejected.
            src/orders/api/deps.py:19:    version = request.headers.get("X-Client-Version")
            """),
    )
    rollout.patch(
        "README.md", old="Always send `X-Client-Version` with `POST /orders`, requests without it are rejected.\n"
    )
    rollout.patch("src/orders/api/deps.py", old='    version = request.headers.get("X-Client-Version")\n')
    rollout.run("docker compose run --rm api pytest tests/api -q", output="64 passed in 11.80s\n")
    rollout.final(
        "README.md no longer mentions the header, and deps.py no longer reads it. No client sends X-Client-Version any "
        "more. 64 API tests pass."
    )
    rollout.wait(minutes=3).user(
        "You can't know that about the clients, the old iOS app does send it. Put the line in deps.py back, we log it. "
        "The README change is fine."
    )
    rollout.patch("src/orders/api/deps.py", new='    version = request.headers.get("X-Client-Version")\n')
    rollout.run("docker compose run --rm api pytest tests/api -q", output="64 passed in 11.52s\n")
    rollout.final("deps.py reads the header again; only README.md is changed.")
    rollout.wait(minutes=1).user(
        "Commit that. And we dropped the ticket numbers: from now on commit messages in this repo are Conventional "
        "Commits, no ticket number in front any more."
    )
    rollout.run(
        'git commit -am "docs(readme): drop the X-Client-Version requirement"',
        output=text("""
            [main 81d07be] docs(readme): drop the X-Client-Version requirement
             1 file changed, 2 deletions(-)
            """),
    )
    return rollout.final("Committed as 81d07be.")


def slow_export() -> Rollout:
    """2026-11-23: numbers before and after, a refused access key, secrets in an output, a general wish."""
    rollout = Rollout(
        cwd=CWD,
        name="export",
        branch="export-index",
        started="2026-11-23T13:40:00Z",
        originator="Codex Desktop",
        agents_md=AGENTS_MD,
    )
    rollout.user(
        "The nightly export takes 50 minutes since Friday. Find the slow query and give me its time before and after. "
        "In all my projects keep the final answer short: what changed, what you ran, what is open."
    )
    explain = f"{PSQL} -c \"explain (analyze, costs off) select * from export_lines where day = '2026-11-22'\""
    rollout.run(
        explain,
        output=text("""
             Nested Loop (actual time=0.412..41871.007 rows=52310 loops=1)
               ->  Seq Scan on order_lines l (actual time=0.009..2.114 rows=52310 loops=18442)
                     Filter: (order_id = o.id)
             Planning Time: 0.611 ms
             Execution Time: 41872.113 ms
            """),
    )
    rollout.say("order_lines has no index on order_id: migration 0044 dropped it together with the old composite one.")
    rollout.patch(
        "migrations/versions/0045_index_order_lines.py",
        action="Add",
        new='def upgrade():\n    op.create_index("ix_order_lines_order_id", "order_lines", ["order_id"])\n',
    )
    rollout.run(
        "docker compose run --rm api alembic upgrade head",
        output="INFO  [alembic.runtime.migration] Running upgrade 0044 -> 0045, index order lines\n",
    )
    rollout.run(
        explain,
        output=text("""
             Nested Loop (actual time=0.051..311.940 rows=52310 loops=1)
               ->  Index Scan using ix_order_lines_order_id on order_lines (actual time=0.003..0.011 rows=3 loops=18442)
             Planning Time: 0.702 ms
             Execution Time: 318.402 ms
            """),
    )
    rollout.run(
        "docker compose run --rm api python -m orders.export --day 2026-11-22 --upload",
        exit=1,
        output=text("""
            exported 18442 orders in 71.8s
            UploadError: 403 <Code>InvalidAccessKeyId</Code><AWSAccessKeyId>AKIAIOSFODNN7EXAMPLE</AWSAccessKeyId>
            """),
    )
    rollout.final(
        "Index on order_lines.order_id: 41.9 s before, 0.3 s after. Open: the upload is refused, bad access key."
    )
    rollout.wait(minutes=5).user(
        "That key was rotated on Friday. The exporter should take the profile orders-export. For this PR just delete "
        "the two key lines from compose.yaml, moving the database url out is a separate job."
    )
    rollout.run(
        "docker compose config api",
        output=text("""
            services:
              api:
                environment:
                  AWS_ACCESS_KEY_ID: AKIAIOSFODNN7EXAMPLE
                  AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
                  DATABASE_URL: postgresql+psycopg://orders:s4mple-Passw0rd@db:5432/orders
            """),
    )
    rollout.patch(
        "compose.yaml",
        old="      AWS_ACCESS_KEY_ID: ${AWS_ACCESS_KEY_ID}\n      AWS_SECRET_ACCESS_KEY: ${AWS_SECRET_ACCESS_KEY}\n",
        new="      AWS_PROFILE: ${AWS_PROFILE:-orders-export}\n",
    )
    rollout.run(
        "AWS_PROFILE=orders-export docker compose run --rm api python -m orders.export --day 2026-11-22 --upload",
        output=text("""
            exported 18442 orders in 69.3s
            uploaded s3://acme-orders-export/2026-11-22.csv.gz
            """),
    )
    rollout.final(
        "compose.yaml uses AWS_PROFILE instead of the two keys; the export of 2026-11-22 ran and uploaded. Open: "
        "DATABASE_URL."
    )
    rollout.wait(minutes=2).user("Perfect. Commit and push.")
    rollout.run(
        'git commit -am "perf(export): index order_lines, read AWS_PROFILE" && git push -u origin export-index',
        output=text("""
            [export-index c0a7714] perf(export): index order_lines, read AWS_PROFILE
             2 files changed, 12 insertions(+), 2 deletions(-)
            branch 'export-index' set up to track 'origin/export-index'.
            """),
    )
    return rollout.final("Pushed c0a7714 to export-index.")
