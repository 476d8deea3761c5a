"""memkit.yaml, environment and options to a Config, and changes of the file in place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import resources
from memkit.config import FILE, Config, load
from memkit.config.codex import codex_memories
from memkit.config.edit import edited, set_values
from memkit.config.schema import GROUPS, leaves
from memkit.errors import ConfigError, StorageError

ANY = Path("memkit.yaml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def write(home: Path, text: str | bytes) -> Path:
    path = home / FILE
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(home: Path, text: str | bytes) -> str:
    write(home, text)
    with pytest.raises(ConfigError) as caught:
        load(home=home, env={"HOME": "/u"})
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(home / FILE), FILE)


# --- where things lie ---------------------------------------------------------------------------------------


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    config = load(env={"HOME": str(tmp_path)})
    assert config == Config(home=tmp_path / ".memkit", codex_home=tmp_path / ".codex")
    assert config.path == tmp_path / ".memkit" / "memkit.yaml"


def test_an_option_goes_before_the_environment_before_the_file_before_the_default(home: Path) -> None:
    write(home, "engine: openai\nmemories:\n  max_unused_days: 1\nsummary: {max_bytes: 1000}\ncodex_home: ~/file\n")
    env = {"HOME": "/u"}
    config = load(home=home, env=env)
    assert (config.engine, config.memories.max_unused_days, config.summary.max_bytes) == ("openai", 1, 1000)
    assert config.codex_home == Path("/u/file")
    env |= {"MEMKIT_ENGINE": "auto", "MEMKIT_MEMORIES_MAX_UNUSED_DAYS": "2", "MEMKIT_SUMMARY_MAX_BYTES": "2000"}
    config = load(home=home, env=env)
    assert (config.engine, config.memories.max_unused_days, config.summary.max_bytes) == ("auto", 2, 2000)
    config = load(home=home, env=env, overrides={"engine": "offline", "memories.max_unused_days": None})
    assert (config.engine, config.memories.max_unused_days) == ("offline", 2)


def test_codex_home_is_taken_from_memkits_own_variable_first() -> None:
    env = {"HOME": "/u", "CODEX_HOME": "~/theirs"}
    assert load(env=env).codex_home == Path("/u/theirs")
    assert load(env=env | {"MEMKIT_CODEX_HOME": "/ours"}).codex_home == Path("/ours")


def test_the_home_comes_from_option_then_environment() -> None:
    env = {"HOME": "/u", "MEMKIT_HOME": "~/elsewhere"}
    assert load(env=env).home == Path("/u/elsewhere")
    assert load(home=Path("~/option"), env=env).home == Path("/u/option")
    assert load(home=Path("here"), env=env).home == Path.cwd() / "here"


def test_every_key_has_a_variable() -> None:
    said = {"true": True, "17": 17, "x, y": ("x", "y")}
    for name, leaf in leaves().items():
        text = next((text for text, value in said.items() if type(value) is type(leaf.default)), "") or (
            leaf.choices[-1] if leaf.choices else "NAME"
        )
        if isinstance(leaf.default, int) and not isinstance(leaf.default, bool):
            text = str(leaf.high)
        config = load(env={"HOME": "/u", leaf.environment: text})
        group, _, key = name.rpartition(".")
        value = getattr(getattr(config, group) if group else config, key)
        assert str(value) in (text, "True", "('x', 'y')", f"/u/.memkit/{text}")


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("TRUE", True), ("on", True), ("0", False), ("no", False), ("", False)]
)
def test_memkit_disable_switches_everything_off(text: str, value: bool) -> None:
    assert load(env={"HOME": "/u", "MEMKIT_DISABLE": text}).disabled is value


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("MEMKIT_DISABLE", "maybe", "must be true or false, not 'maybe'"),
        ("MEMKIT_ENGINE", "gpt", "must be offline, openai or auto, not 'gpt'"),
        ("MEMKIT_SUMMARY_MAX_BYTES", "ten", "must be a whole number from 500 to 1000000, not 'ten'"),
        ("MEMKIT_SUMMARY_MAX_BYTES", "9" * 5000, "must be a whole number"),
        ("MEMKIT_OPENAI_API_KEY_ENV", "sk-verysecret", "must be the name of an environment variable"),
        ("CODEX_HOME", "/a\0b", "must be text on one line"),
        ("MEMKIT_MEMORIES_EXTRACT_MODEL", "m\udcff", "must be text on one line"),
    ],
)
def test_a_wrong_variable_is_named_with_what_is_allowed(variable: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(env={"HOME": "/u", variable: text})
    assert str(caught.value).startswith(f"{variable} {words}")
    assert "verysecret" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_misspelt_variable_is_a_warning_and_a_foreign_one_is_not() -> None:
    env = {"HOME": "/u", "MEMKIT_ENGINES": "auto", "MEMKIT_NOW": "1", "MEMKIT_HOME": "/h", "MEMKIT_X": "1"}
    assert load(env=env).warnings == ("unknown variable MEMKIT_ENGINES; did you mean MEMKIT_ENGINE?",)


def test_an_option_that_is_no_key_is_a_bug() -> None:
    with pytest.raises(KeyError):
        load(env={"HOME": "/u"}, overrides={"max_unused_days": 3})


# --- the file -----------------------------------------------------------------------------------------------


def test_unknown_keys_are_warned_of_with_the_nearest_known_one(home: Path) -> None:
    write(home, "verison: v1\nmemories:\n  max_unuse_days: 3\nmax_bytes: 7\nzzzzzz: 1\n2: 3\nmemory: {a: 1}\n")
    config = load(home=home, env={"HOME": "/u"})
    assert [warning.replace(str(home / FILE), FILE) for warning in config.warnings] == [
        "memkit.yaml:1: unknown key verison; did you mean version?",
        "memkit.yaml:3: unknown key memories.max_unuse_days; did you mean memories.max_unused_days?",
        "memkit.yaml:4: unknown key max_bytes; did you mean summary.max_bytes?",
        "memkit.yaml:5: unknown key zzzzzz",
        "memkit.yaml:6: unknown key 2",
        "memkit.yaml:7: unknown key memory; did you mean memories?",
    ]
    assert config._replace(warnings=()) == Config(home=home, codex_home=Path("/u/.codex"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("engine: gpt\n", "memkit.yaml:1: engine must be offline, openai or auto, not 'gpt'"),
        ("\nversion: 2\n", "memkit.yaml:2: version must be v1 or v2, not 2"),
        ("dual_write: yes\n", "memkit.yaml:1: dual_write must be true or false, not 'yes'"),
        ("sources: cli\n", "memkit.yaml:1: sources must be a list of names, not 'cli'"),
        ("sources: [cli, 3]\n", "memkit.yaml:1: sources must be a list of names, not a list"),
        ("sources: [cli, {a: 1}]\n", "memkit.yaml:1: sources must be a list of names, not a list"),
        ("codex_home: 3\n", "memkit.yaml:1: codex_home must be text on one line, not 3"),
        ('codex_home: "a\\nb"\n', "memkit.yaml:1: codex_home must be text on one line, not 'a\\nb'"),
        ("memories: 3\n", "memkit.yaml:1: memories must be a group of keys, one a line, indented"),
        ("memories: [a]\n", "memkit.yaml:1: memories must be a group of keys, one a line, indented"),
        (
            "memories:\n  max_unused_days: -1\n",
            "memkit.yaml:2: memories.max_unused_days must be a whole number from 0 to 36500, not -1",
        ),
        (
            "summary:\n  max_bytes: 1e4\n",
            "memkit.yaml:2: summary.max_bytes must be a whole number from 500 to 1000000, not 10000.0",
        ),
        (
            "summary:\n  max_bytes: true\n",
            "memkit.yaml:2: summary.max_bytes must be a whole number from 500 to 1000000, not true",
        ),
        (
            "openai:\n  api_key_env: sk-abc\n",
            "memkit.yaml:2: openai.api_key_env must be the name of an environment variable",
        ),
        ("version: v1\nversion: v2\n", "memkit.yaml:2: version is given twice, first in line 1"),
        ("memories:\nmemories:\n", "memkit.yaml:2: memories is given twice, first in line 1"),
        (
            "memories:\n  disable_on_external_context: true\n  no_memories_if_mcp_or_web_search: true\n",
            "memkit.yaml:3: memories.disable_on_external_context is given twice, first in line 2",
        ),
        ("- version\n", "memkit.yaml:1: must be a list of `key: value` lines"),
        ("just words\n", "memkit.yaml:1: must be a list of `key: value` lines"),
        (b"version: \xff\n", "memkit.yaml is not UTF-8 (byte 9) (save it as UTF-8)"),
    ],
)
def test_what_is_not_allowed_is_refused_in_one_line(home: Path, text: str | bytes, message: str) -> None:
    assert refusal(home, text) == message


@pytest.mark.parametrize(
    "text",
    [
        "version: [\n",
        "a: b: c\n",
        "version: 'v\n",
        "\tversion: v1\n",
        "a: 1\n---\nb: 2\n",
        "a: *b\n",
        "\x00",
        "[" * 500,
    ],
)
def test_yaml_that_is_none_is_refused_in_one_line(home: Path, text: str) -> None:
    assert re.match(r"memkit\.yaml(:\d+)?: not valid YAML: \w", refusal(home, text))


def test_a_folder_in_its_place_is_refused(home: Path) -> None:
    (home / FILE).mkdir()
    with pytest.raises(ConfigError, match=r"memkit\.yaml can't be read: Is a directory"):
        load(home=home, env={"HOME": "/u"})


def test_a_pipe_in_its_place_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / FILE)
    with pytest.raises(ConfigError, match="is a pipe"):
        load(home=home, env={"HOME": "/u"})


def test_a_file_in_the_place_of_the_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(ConfigError, match="Not a directory"):
        load(home=tmp_path / "home", env={"HOME": "/u"})


@pytest.mark.parametrize(
    "text", ["", "\n", "# only\n", "---\n", "~\n", "memories:\n", "memories: {}\n", "\ufeffengine:\r\n", "engine: ~\n"]
)
def test_what_says_nothing_gives_the_defaults(home: Path, text: str) -> None:
    write(home, text)
    assert load(home=home, env={"HOME": "/u"}) == Config(home=home, codex_home=Path("/u/.codex"))


def test_codexs_older_name_for_external_context_is_taken(home: Path) -> None:
    write(home, "memories:\n  no_memories_if_mcp_or_web_search: true\n")
    config = load(home=home, env={"HOME": "/u"})
    assert config.memories.disable_on_external_context
    assert not config.warnings


@given(st.one_of(st.text(), st.text(alphabet="ab:- \n[]{}#'\"&*!|>%~,.0123\t")))
def test_any_text_is_read_or_refused(text: str) -> None:
    from memkit.config import yaml_file

    try:
        found = yaml_file.read(text, path=ANY)
    except ConfigError as error:
        assert "\n" not in str(error)
    else:
        assert all(one.line >= 1 for one in found)


def test_starting_on_a_home_as_init_makes_it_loads_no_parser(home: Path) -> None:
    write(home, resources.read("memkit.yaml"))
    code = (
        "import sys; from pathlib import Path; from memkit.config import load; load(home=Path(sys.argv[1]), env={});"
        "print([name for name in ('ruamel.yaml', 'rapidfuzz', 'tomllib', 'memkit.model') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- the template -------------------------------------------------------------------------------------------


def test_the_template_shows_every_key_with_its_default_and_a_word_on_it(home: Path) -> None:
    template = resources.read("memkit.yaml")
    shown = re.sub(r"^(\s*)# (\w+: )", r"\1\2", template, flags=re.MULTILINE)
    keys = re.findall(r"^(?:  )?(\w+): \S.*  ?# \w.*$|^(\w+):(?: +#.*)?$", shown, flags=re.MULTILINE)
    assert [key or group for key, group in keys] == [
        "version", "dual_write", "engine", "codex_home", "sources",
        *(key for group, kind in GROUPS.items() for key in (group, *kind._fields)),
    ]  # fmt: skip
    write(home, shown)
    config = load(home=home, env={"HOME": "/u"})
    assert config == Config(home=home, codex_home=Path("/u/.codex"))
    assert max(map(len, template.splitlines())) <= 120


# --- changes in place ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("", {"version": "v1"}, "version: v1\n"),
        ("# mine", {"version": "v1"}, "# mine\nversion: v1\n"),
        ("version: v2  # why\n", {"version": "v1"}, "version: v1  # why\n"),
        ("version:  # why\n", {"version": "v1"}, "version: v1  # why\n"),
        ("# version: v2   # which\n", {"version": "v1"}, "version: v1   # which\n"),
        ("# version: of the two, mine\n", {"version": "v1"}, "# version: of the two, mine\nversion: v1\n"),
        ("a: 1\r\n# engine: offline\r\n", {"engine": "auto"}, "a: 1\r\nengine: auto\r\n"),
        ("a: 1\r\n", {"summary.max_bytes": 9000}, "a: 1\r\nsummary:\r\n  max_bytes: 9000\r\n"),
        ("memories:\n", {"memories.max_unused_days": 3}, "memories:\n  max_unused_days: 3\n"),
        ("memories: ~  # mine\n", {"memories.max_unused_days": 3}, "memories:   # mine\n  max_unused_days: 3\n"),
        ("memories:", {"memories.max_unused_days": 3}, "memories:\n  max_unused_days: 3\n"),
        ("memories: {}\n", {"memories.max_unused_days": 3}, "memories: {max_unused_days: 3}\n"),
        (
            "memories: {use_memories: true} # x\n",
            {"memories.max_unused_days": 3},
            "memories: {max_unused_days: 3, use_memories: true} # x\n",
        ),
        (
            "memories:\n    use_memories: true # x\nversion: v1\n",
            {"memories.max_unused_days": 3},
            "memories:\n    max_unused_days: 3\n    use_memories: true # x\nversion: v1\n",
        ),
        (
            "memories:\n  # max_unused_days: 30 # why\n  use_memories: true\nsummary:\n  # max_bytes: 1\n",
            {"memories.max_unused_days": 3, "summary.max_bytes": 2000},
            "memories:\n  max_unused_days: 3 # why\n  use_memories: true\nsummary:\n  max_bytes: 2000\n",
        ),
        (
            "memories:\n  no_memories_if_mcp_or_web_search: true\n",
            {"memories.disable_on_external_context": False},
            "memories:\n  no_memories_if_mcp_or_web_search: false\n",
        ),
        (
            "sources:\n  - cli  # me\n  - vscode\n\n# next\nversion: v1\n",
            {"sources": ("exec",)},
            "sources: [exec]\n\n# next\nversion: v1\n",
        ),
        ("sources: [cli,\n  vscode]\n", {"sources": ["a b", "true"]}, 'sources: ["a b", "true"]\n'),
        ("codex_home: 'x' # q\n", {"codex_home": "/with: colon #"}, 'codex_home: "/with: colon #" # q\n'),
        ("codex_home: |\n  x\nversion: v1\n", {"version": "v2"}, "codex_home: |\n  x\nversion: v2\n"),
    ],
)
def test_a_change_touches_only_its_line(before: str, changes: dict[str, object], after: str) -> None:
    assert edited(before, changes, path=ANY) == after


@settings(max_examples=20)  # each parses the template a dozen times
@given(
    st.dictionaries(
        st.sampled_from([name for name, leaf in leaves().items() if type(leaf.default) is int]),
        st.integers(500, 5000),
        max_size=6,
    ),
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20),
    st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8), max_size=3),
)
def test_what_is_set_in_the_template_is_read_back_and_the_rest_stays(
    numbers: dict[str, int], model: str, sources: list[str]
) -> None:
    changes: dict[str, Any] = {name: min(value, leaves()[name].high) for name, value in numbers.items()}
    changes |= {"memories.extract_model": model, "sources": sources}
    template = resources.read("memkit.yaml")
    after = edited(template, changes, path=ANY)
    from memkit.config import yaml_file

    got = {found.name: found.value for found in yaml_file.read(after, path=ANY) if found.name not in GROUPS}
    assert got == changes
    old, new = template.splitlines(), after.splitlines()
    assert len(old) == len(new)
    assert sum(a != b for a, b in zip(old, new, strict=True)) == len(changes)
    assert edited(after, changes, path=ANY) == after


@pytest.mark.parametrize("text", ["{a: 1}\n", "a: 1\n...\n", "version: &x v1\nengine: *x\n"])
def test_a_layout_that_cant_be_changed_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ConfigError, match=r"\(set version: v2\)") as caught:
        edited(text, {"version": "v2"}, path=ANY)
    assert "can't change" in str(caught.value)


def test_a_value_that_is_not_allowed_is_not_written(home: Path) -> None:
    path = write(home, "version: v1\n")
    with pytest.raises(ConfigError, match="version must be v1 or v2, not 'v3'"):
        set_values(path, {"version": "v3"})
    assert path.read_text() == "version: v1\n"


def test_writing_makes_a_private_file_and_says_whether_it_changed(home: Path) -> None:
    path = home / FILE
    assert set_values(path, {"version": "v1", "dual_write": True})
    assert path.read_text() == "version: v1\ndual_write: true\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not set_values(path, {"version": "v1"})
    assert [child.name for child in home.iterdir()] == [FILE]


def test_a_file_that_cant_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"memkit\.yaml can't be written: No such file"):
        set_values(tmp_path / "missing" / FILE, {"version": "v1"})


# --- Codex's own configuration ------------------------------------------------------------------------------


def test_codexs_memories_are_taken_over(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        'model = "x"\n[memories]\nmax_unused_days = 7\nno_memories_if_mcp_or_web_search = true\nnewer_key = 1\n'
    )
    values = codex_memories(tmp_path)
    assert values == {"memories.max_unused_days": 7, "memories.disable_on_external_context": True}
    set_values(tmp_path / FILE, values)
    assert load(home=tmp_path, env={"HOME": "/u"}).memories.max_unused_days == 7


def test_no_file_and_nothing_said_are_told_apart(tmp_path: Path) -> None:
    assert codex_memories(tmp_path) is None
    (tmp_path / "config.toml").write_text('model = "x"\n')
    assert codex_memories(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[memories\n", "is not valid TOML"),
        ("memories = 3\n", "memories must be a table"),
        ('[memories]\nmax_unused_days = "7"\n', "memories.max_unused_days must be a whole number from 0 to 36500"),
        ("a = 1\na = 2\n", "is not valid TOML"),
    ],
)
def test_a_malformed_codex_configuration_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        codex_memories(tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
