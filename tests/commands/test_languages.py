"""Two sessions in the user's language, from rollout files to the committed memory."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.commands.world import World
from tests.support.rollouts import Rollout


@dataclass(frozen=True)
class Talk:
    """What a user says: work, a wish, a correction, praise; in a second session work, the wish again, an occasion."""

    work: str
    wish: str
    correction: str
    praise: str
    work_2: str
    wish_2: str
    once: str
    title: str
    title_2: str
    slug: str


TALKS = {
    "de": Talk(
        work="Kannst du bitte den Rundungsfehler in der Rechnung beheben?",
        wish="Antworte mir künftig immer auf Deutsch.",
        correction="Nein, nicht float, sondern Decimal.",
        praise="passt, danke",
        work_2="Ergänze Tests für die Rabatte.",
        wish_2="Bitte immer auf Deutsch antworten!",
        once="Diesmal immer npm nutzen.",
        title="Den Rundungsfehler in der Rechnung beheben",
        title_2="Ergänze Tests für die Rabatte",
        slug="erganze_tests_fur_die_rabatte",
    ),
    "zh": Talk(
        work="请帮我修复发票里的四舍五入错误。",
        wish="以后都用中文回答我。",
        correction="不对，不要用 float，用 Decimal。",
        praise="可以了，谢谢",
        work_2="给折扣模块补上测试。",
        wish_2="请一律用中文回答！",
        once="这次一律先用 npm。",
        title="修复发票里的四舍五入错误",
        title_2="给折扣模块补上测试",
        slug="",
    ),
    "ja": Talk(
        work="請求書の端数処理のバグを直してください。",
        wish="今後は必ず日本語で答えて。",
        correction="いや、floatじゃなくてDecimalで。",
        praise="動きました、ありがとう",
        work_2="割引モジュールにテストを追加して。",
        wish_2="常に日本語で答えてください！",
        once="今回だけ必ずnpmを使って。",
        title="請求書の端数処理のバグを直してください",
        title_2="割引モジュールにテストを追加して",
        slug="",
    ),
    "ko": Talk(
        work="인보이스 반올림 버그 고쳐줘.",
        wish="앞으로는 항상 한국어로 답변해 주세요.",
        correction="아니, float 말고 Decimal 써.",
        praise="이제 잘 돼요, 고마워요",
        work_2="할인 모듈에 테스트 추가해줘.",
        wish_2="항상 한국어로 답변해줘!",
        once="이번만 꼭 npm 써줘.",
        title="인보이스 반올림 버그 고쳐줘",
        title_2="할인 모듈에 테스트 추가해줘",
        slug="",
    ),
    "vi": Talk(
        work="Sửa lỗi làm tròn trong hóa đơn giúp tôi.",
        wish="Từ giờ luôn trả lời bằng tiếng Việt nhé.",
        correction="Không, đừng dùng float, dùng Decimal.",
        praise="chạy rồi, cảm ơn",
        work_2="Thêm test cho module giảm giá.",
        wish_2="luon tra loi bang tieng Viet",
        once="Lần này luôn dùng npm.",
        title="Sửa lỗi làm tròn trong hóa đơn giúp tôi",
        title_2="Thêm test cho module giảm giá",
        slug="them_test_cho_module_giam_gia",
    ),
}


@pytest.fixture(params=TALKS)
def talk(request: pytest.FixtureRequest) -> Talk:
    return TALKS[request.param]


def _sessions(talk: Talk) -> tuple[Rollout, Rollout]:
    first = (
        Rollout(cwd="/home/dev/billing", name="first", started="2026-11-19T09:00:00Z")
        .user(f"{talk.work} {talk.wish}")
        .patch("invoice.py", old="round(x)", new="quantise(x)")
        .run("uv run pytest -q", output="9 passed\n")
        .final("Done.")
        .user(talk.correction)
        .patch("invoice.py", old="float", new="Decimal")
        .final("Changed.")
        .user(talk.praise)
        .final("Good.")
    )
    second = (
        Rollout(cwd="/home/dev/billing", name="second", started="2026-11-20T09:00:00Z")
        .user(f"{talk.work_2} {talk.wish_2}\n{talk.once}")
        .patch("tests/test_discounts.py", old="", new="def test_ten(): ...")
        .run("uv run pytest -q", output="12 passed\n")
        .final("Done.")
    )
    return first, second


def test_what_two_sessions_say_alike_is_one_line_in_the_users_words(world: World, talk: Talk) -> None:
    world.write(*_sessions(talk))
    world.call("run")
    preferences = world.summary.split("## User preferences")[1].split("## General Tips")[0].strip().splitlines()
    assert preferences == [f'- (in /home/dev/billing) "{talk.wish_2}" (2 sessions, last 2026-11-20)']
    world.healthy()


def test_a_record_keeps_what_was_said_and_names_the_work(world: World, talk: Talk) -> None:
    first, second = _sessions(talk)
    world.write(first, second)
    world.call("run")
    said, said_2 = world.record(first.id), world.record(second.id)
    assert said and said_2
    assert said.rollout_summary.splitlines()[0] == f"# {talk.title}"
    assert f'- request: "{talk.work} {talk.wish}"' in said.rollout_summary
    assert f'- correction: "{talk.correction}"' in said.rollout_summary
    assert f'- preference (stated): "{talk.wish}"' in said.rollout_summary
    assert said.rollout_summary.count("## Task") == 1
    assert "- outcome: success" in said.rollout_summary
    assert said_2.rollout_summary.splitlines()[0] == f"# {talk.title_2}"
    assert f'stated): "{talk.once}"' not in said_2.rollout_summary
    assert [path.stem.partition("-")[2] for path in world.records][-1].endswith(talk.slug)
    world.healthy()


def test_a_second_run_changes_nothing(world: World, talk: Talk) -> None:
    world.write(*_sessions(talk))
    world.call("run")
    before = world.tree()
    assert world.call("run").out.startswith("nothing new")
    assert world.tree() == before
