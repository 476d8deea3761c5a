"""Secrets that span lines: PEM private keys, also cut or escaped, and the data of Kubernetes secrets."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.redact.patterns import pattern
from memkit.redact.shape import placeholder

LONGEST_LINE = 1_100


def pem_begin(text: str, at: int) -> Iterator[tuple[int, int]]:
    """From `-----BEGIN … PRIVATE KEY-----` to its END, or to the end of the body when the text was cut."""
    begin = pattern("pem-begin").match(text, at)
    if begin is None:
        return
    pair = pattern("pem-pair").match(text, at)
    if pair is not None:
        if pattern("body").search(pair["body"]):
            yield pair.span()
        return
    end = begin.end()
    while line := pattern("pem-line").match(text, end):
        end = line.end()
        if line.end() - line.start() > 1_024:
            end = _run(text, end)
    if end == begin.end():
        return
    last = pattern("pem-last").match(text, end)
    yield at, last.end() if last else end


def pem_end(text: str, at: int) -> Iterator[tuple[int, int]]:
    """From the first base64 line of a body whose BEGIN was cut away to `-----END … PRIVATE KEY-----`."""
    marker = pattern("pem-end").match(text, at)
    if marker is None:
        return
    start, seen_long = at, False
    while start > 0:
        line_end = _before_break(text, start)
        if not _base64(text[line_end - 1 : line_end]):
            break
        line_start = _line_start(text, line_end)
        line = text[line_start:line_end].strip(" \t>|+")
        if not line or not _base64(line) or len(line) > LONGEST_LINE:
            run = pattern("last-run").search(line[-LONGEST_LINE:])
            if run is not None:
                start, seen_long = line_end - len(run[0]), True
            break
        if len(line) < 16 and seen_long and line_start > 0:
            break
        seen_long = seen_long or len(line) >= 16
        start = line_end - len(text[line_start:line_end].lstrip(" \t>|"))
    if seen_long:
        yield start, marker.end()


def _run(text: str, end: int) -> int:
    while (further := pattern("word-run").match(text, end)) and further.end() > end:
        end = further.end()
    return end


def _before_break(text: str, end: int) -> int:
    """Where the line ends that stands before `end`: real and escaped line breaks stepped over."""
    head = text[max(0, end - 16) : end]
    bare = head
    while True:
        shorter = bare.rstrip("\r\n")
        if shorter.endswith(("\\n", "\\r")):
            shorter = shorter[:-2].rstrip("\\")
        if shorter == bare:
            return end - len(head) + len(bare)
        bare = shorter


def _line_start(text: str, end: int) -> int:
    floor = max(0, end - LONGEST_LINE - 16)
    real = text.rfind("\n", floor, end)
    escaped = text.rfind("\\n", floor, end)
    start = max(real + 1, escaped + 2 if escaped >= 0 else 0)
    return start if start > 0 else floor


def _base64(line: str) -> bool:
    return pattern("base64").fullmatch(line) is not None


def kube_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The values under data and stringData of each YAML document of kind Secret, and of JSON beside such a kind."""
    if not pattern("kube-secret").search(text):
        return
    lines = list(_lines(text))
    document: list[tuple[int, int]] = []
    for start, end in [*lines, (len(text), len(text))]:
        if text.startswith("---", start) or start == len(text):
            yield from _yaml_document(text, document)
            document = []
        else:
            document.append((start, end))
    for opening in pattern("kube-json").finditer(text):
        at = opening.end()
        while pair := pattern("kube-pair").match(text, at):
            if not placeholder(pair["v"]):
                yield pair.span("v")
            at = pair.end()


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line_break in pattern("line-break").finditer(text):
        yield at, line_break.start()
        at = line_break.end()
    yield at, len(text)


def _yaml_document(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if not any(pattern("kube-secret").match(text, start + _indent(text, start, end), end) for start, end in lines):
        return
    depth = -1
    for start, end in lines:
        block = pattern("kube-block").match(text[start:end])
        if block is not None:
            depth = len(block["indent"])
            continue
        if depth < 0 or start == end:
            continue
        if _indent(text, start, end) <= depth:
            depth = -1
            continue
        line = pattern("kube-line").match(text, start, end)
        if line is not None and not placeholder(line["v"]):
            yield line.span("v")


def _indent(text: str, start: int, end: int) -> int:
    at = start
    while at < end and text[at] in " \t-":
        at += 1
    return at - start
