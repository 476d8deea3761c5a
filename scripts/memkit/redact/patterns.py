"""The regexes of the own rules, anchored at a keyword. Every quantifier is bounded; runs are possessive."""

from __future__ import annotations

import functools
import re

_SPACE = r"(?:\s|\\{1,4}[nrt]){1,8}"
_QUOTE = r"(?:\\{0,4}[\"'`])?"
_LABEL = r"[A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_ANY = r"[^\s\"'`\\<>]"

# name: (keyword as it stands in the text, the rest of the key, kinds of characters that a real one has)
VENDORS: dict[str, tuple[tuple[str, ...], str, int]] = {
    "openai": (("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), r"[A-Za-z0-9_-]{20,256}+", 3),
    "openai-legacy": (("sk-",), r"[A-Za-z0-9]{32,256}+", 3),
    "anthropic": (("sk-ant-",), r"[A-Za-z0-9_-]{20,256}+", 2),
    "openrouter": (("sk-or-v1-",), r"[A-Za-z0-9]{32,256}+", 2),
    "aws": (("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16,64}+", 1),
    "aws-bedrock": (("ABSK",), r"[A-Za-z0-9+/]{60,256}+={0,2}", 3),
    "github": (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{30,256}+", 2),
    "github-pat": (("github_pat_",), r"[A-Za-z0-9_]{22,256}+", 2),
    "gitlab": (
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"),
        r"[A-Za-z0-9_.-]{20,256}+",
        2,
    ),
    "slack": (
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
        r"[A-Za-z0-9%._-]{16,256}+",
        2,
    ),
    "google": (("AIza",), r"[A-Za-z0-9_-]{30,256}+", 2),
    "google-oauth": (("ya29.", "GOCSPX-"), r"[A-Za-z0-9_.-]{20,256}+", 2),
    "google-refresh": (("1//0",), r"[A-Za-z0-9_-]{30,256}+", 3),
    "stripe": (
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"[A-Za-z0-9+/=]{16,256}+",
        2,
    ),
    "npm": (("npm_",), r"[A-Za-z0-9]{36,256}+", 2),
    "pypi": (("pypi-",), r"[A-Za-z0-9_-]{50,256}+", 2),
    "huggingface": (("hf_", "api_org_"), r"[A-Za-z0-9]{30,256}+", 2),
    "sendgrid": (("SG.",), r"[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,256}+", 2),
    "twilio": (("SK",), r"[0-9a-f]{32}(?![0-9a-zA-Z])", 2),
    "digitalocean": (("dop_v1_", "doo_v1_", "dor_v1_"), r"[0-9a-f]{40,256}+", 2),
    "shopify": (("shpat_", "shpss_", "shpca_", "shppa_"), r"[0-9a-fA-F]{32,256}+", 2),
    "databricks": (("dapi",), r"[0-9a-f]{32,64}+", 2),
    "docker": (("dckr_pat_", "dckr_oat_"), r"[A-Za-z0-9_-]{20,256}+", 2),
    "grafana": (("glsa_", "glc_"), r"[A-Za-z0-9_+/=]{30,256}+", 2),
    "vault": (("hvs.", "hvb."), r"[A-Za-z0-9_-]{20,256}+", 2),
    "doppler": (("dp.pt.", "dp.st.", "dp.ct."), r"[A-Za-z0-9._-]{20,256}+", 2),
    "atlassian": (("ATATT3", "ATCTT3"), r"[A-Za-z0-9_=-]{40,256}+", 2),
    "square": (("sq0atp-", "sq0csp-"), r"[A-Za-z0-9_-]{20,256}+", 2),
    "linear": (("lin_api_",), r"[A-Za-z0-9]{30,256}+", 2),
    "notion": (("ntn_",), r"[A-Za-z0-9]{36,256}+", 2),
    "rubygems": (("rubygems_",), r"[0-9a-f]{40,256}+", 2),
    "sentry": (("sntrys_", "sntryu_"), r"[A-Za-z0-9_+/=]{30,256}+", 2),
    "pulumi": (("pul-",), r"[0-9a-f]{40,256}+", 2),
    "inference": (("gsk_", "r8_", "pplx-", "nvapi-", "xai-", "tvly-", "csk-"), r"[A-Za-z0-9_-]{30,256}+", 3),
    "postman": (("PMAK-",), r"[0-9a-f-]{40,256}+", 2),
    "age": (("AGE-SECRET-KEY-1",), r"[A-Z0-9]{50,256}+", 2),
    "tailscale": (("tskey-",), r"[A-Za-z0-9-]{20,256}+", 2),
    "onepassword": (("ops_eyJ",), r"[A-Za-z0-9_=-]{60,256}+", 3),
    "supabase": (("sbp_", "sb_secret_"), r"[A-Za-z0-9_]{20,256}+", 2),
    "figma": (("figd_",), r"[A-Za-z0-9_-]{30,256}+", 2),
    "mailgun": (("key-",), r"[0-9a-z]{32}(?![0-9a-zA-Z_-])", 2),
    "openai-session": (("sess-",), r"[A-Za-z0-9]{40,256}+", 2),
    "jwt": (("eyJ",), r"[A-Za-z0-9_-]{6,600}+\.[A-Za-z0-9_-]{6,600}+(?:\.[A-Za-z0-9_-]{0,600}+){0,3}", 3),
}

SOURCES: dict[str, str] = {
    "name": r"(?P<tail>[\w.-]{0,40}+)(?P<close>\\{0,4}[\"'`])?\]?"
    r"(?:[ \t]{0,8}(?P<op>:[ \t]{0,4}[A-Za-z_][\w.]{0,30}+(?:\[[\w., |]{0,40}+\])?(?:[ ]?\|[ ]?\w{1,20}+)?"
    r"[ \t]{1,4}=[ \t]{1,4}"
    r"|=>|:=|={1,3}|[:：>]|[ \t]value[ \t]?=)[ \t]{0,8}"
    r"|(?:[ \t](?:for|of|to|on|at|in|del|de|da|do|para|für|von|pour|du|от|для|к)"
    r"(?:[ \t][\w'.-]{1,24}){1,4}?)?[ \t*]{1,4}"
    r"(?P<prose>is|was|are|to|as|equals|es|é|eh|era|ist|lautet|est|это|будет|—|–|-)[ \t:=]{1,4}"
    r"|(?P<flag>[ \t]{1,4}))",
    "open": r"[bBrRuUfF]{0,2}(?P<slash>\\{0,4})(?P<quote>[\"'`])",
    'plain"': r'(?:[^"\\\n]|\\[^\n]){1,512}+',
    "plain'": r"(?:[^'\\\n]|\\[^\n]){1,512}+",
    "plain`": r"[^`\n]{1,512}+",
    'escaped"': r'[^"\\\n]{1,512}+',
    "escaped'": r"[^'\\\n]{1,512}+",
    "escaped`": r"[^`\\\n]{1,512}+",
    "env": r"[^\s\"'`\\]{1,512}+",
    "bare": r"[^\s\"'`<>\\,;&|(){}\[\]]{1,512}+",
    "bearer": r"bearer[ \t]{1,4}" + _QUOTE + r"(?P<v>[A-Za-z0-9._~+/=:-]{8,512}+)",
    "basic": r"basic[ \t]{1,4}(?P<v>[A-Za-z0-9+/=_-]{6,512}+)",
    "authorization": r"authorization\\{0,4}[\"']?\]?[ \t]{0,4}[:=,][ \t]{0,4}"
    + _QUOTE
    + r"(?:[A-Za-z][A-Za-z0-9-]{1,24}[ \t]{1,4})?(?P<v>[^\s\"'`\\,<>${}]{6,512}+)",
    "signature": r"signature=(?P<v>[0-9a-f]{40,128}+)",
    "cookie": r"cookie2?\\{0,4}[\"']?\]?[ \t]{0,4}[:=, ][ \t]{0,4}" + _QUOTE,
    "pair": r"[ \t]{0,4}(?P<name>[^\s=;,\"'`\\<>:]{1,128}+)=(?P<v>\"?[^\s;,\"'`\\<>]{1,512}+)",
    "url": r":(?:\\{0,4}/){2}(?P<user>[^\s/:@\"'`<>\\]{0,128}+):(?P<v>[^\s/@\"'`<>\\]{1,512}+)@",
    "url-rest": r"[^\s/@\"'`<>\\.,;:]{1,128}+@",
    "url-token": r":(?:\\{0,4}/){2}(?P<v>[A-Za-z0-9_-]{20,256}+)(?::x-oauth-basic)?@",
    "user": r"(?:-u|--user|--proxy-user|-U)[ ='\",\\]{0,8}[\"']?"
    r"(?P<user>[^\s:\"'\\]{1,128}+):(?P<v>[^\s\"'\\]{1,512}+)",
    "machine": rf"machine{_SPACE}[^\s\\]{{1,128}}+(?:{_SPACE}(?:login|account){_SPACE}[^\s\\]{{1,128}}+){{0,2}}"
    rf"{_SPACE}password{_SPACE}(?P<v>{_ANY}{{1,256}}+)",
    "login": rf"login{_SPACE}[^\s\\]{{1,128}}+{_SPACE}password{_SPACE}(?P<v>{_ANY}{{1,256}}+)",
    "sshpass": rf"sshpass[ ]{{1,4}}-p[ ]{{0,4}}{_QUOTE}(?P<v>{_ANY}{{1,256}}+)",
    "mysql": rf"mysql(?:dump|admin|sh)?[ ](?:[^\n]{{0,160}}?[ ])?-p{_QUOTE}"
    rf"(?P<v>(?!rotocol)(?=[^\s]{{0,40}}?[0-9!@#$%^&*]){_ANY}{{4,256}}+)",
    "docker": rf"docker login[^\n]{{0,160}}?[ ](?:-p|--password)[ =]{{1,2}}{_QUOTE}(?P<v>{_ANY}{{3,256}}+)",
    "redis": rf"redis-cli[^\n]{{0,160}}?[ ]-a[ ]{{1,2}}{_QUOTE}(?P<v>{_ANY}{{3,256}}+)",
    "slack-hook": r"hooks\.slack\.com(?:\\{0,4}/)(?:services|workflows|triggers)"
    r"(?P<v>(?:\\{0,4}/[A-Za-z0-9_-]{3,64}+){2,5})",
    "discord-hook": r"webhooks\\{0,4}/[0-9]{10,24}\\{0,4}/(?P<v>[A-Za-z0-9_-]{30,128}+)",
    "discord-bot": r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,64}",
    "telegram": r":AA[A-Za-z0-9_-]{32,64}+",
    "azure": r"[78]Q~[A-Za-z0-9_.~-]{30,64}+",
    "key-data": r"client-key-data\\{0,4}[\"']?[ \t]{0,4}:[ \t]{0,4}" + _QUOTE + r"(?P<v>[A-Za-z0-9+/=]{8,512}+)",
    "pem-pair": rf"-----BEGIN {_LABEL}(?P<body>(?:[^-]|-(?!----)){{0,20000}}+)-----END {_LABEL}",
    "pem-begin": rf"-----BEGIN {_LABEL}",
    "pem-end": rf"-----END {_LABEL}",
    "pem-line": r"(?:[ \t>|+]|\\{1,4}[nrt]|[\r\n]){1,12}"
    r"(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,120}+|[A-Za-z0-9+/=]{16,1024}+)",
    "pem-last": r"(?:[ \t>|+]|\\{1,4}[nrt]|[\r\n]){1,6}(?=[A-Za-z0-9+/]{0,16}[0-9+/=])[A-Za-z0-9+/=]{1,16}+",
    "base64": r"[A-Za-z0-9+/=]{1,1200}+",
    "last-run": r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{16,1100}+$",
    "body": r"[A-Za-z0-9+/]{24}",
    "kube-secret": r"kind\\{0,4}[\"']?[ \t]{0,4}:[ \t]{0,4}\\{0,4}[\"']?Secret(?![A-Za-z])",
    "kube-block": r"(?P<indent>[ \t]{0,16})(?:data|stringData)[ \t]{0,4}:[ \t]{0,4}$",
    "kube-line": r"(?P<indent>[ \t]{1,32}+)[\"']?[\w.-]{1,253}+[\"']?[ \t]{0,4}:[ \t]{1,8}"
    r"[\"']?(?P<v>[^\s\"'#|>][^\s\"']{0,4096}+)",
    "kube-json": r"\\{0,4}\"(?:data|stringData)\\{0,4}\"[ \t]{0,4}:[ \t]{0,4}\{",
    "kube-pair": r"(?:\s|\\{1,4}[nrt]|,){0,40}+\\{0,4}\"[\w.-]{1,253}+\\{0,4}\"[ \t]{0,4}:[ \t]{0,4}"
    r"\\{0,4}\"(?P<v>[^\"\\]{0,4096}+)\\{0,4}\"",
    "line-break": r"\r?\n|\\{1,4}n",
    "word-run": r"[A-Za-z0-9_+/=.-]{0,4096}+",
    "value-run": r"[^\s\"'`<>\\,;&|(){}\[\]]{0,4096}+",
    "env-run": r"[^\s\"'`\\]{0,4096}+",
}
FOLDED = frozenset(
    {"name", "bearer", "basic", "authorization", "signature", "cookie", "machine", "login", "user", "discord-hook"}
)


def sources() -> dict[str, str]:
    """Every regex of the own rules by name, for the test that walks their quantifiers."""
    return SOURCES | {f"vendor {name}": rest for name, (_, rest, _) in VENDORS.items()}


@functools.cache
def pattern(name: str) -> re.Pattern[str]:
    """The compiled regex of that name."""
    return re.compile(SOURCES[name], re.IGNORECASE if name in FOLDED else 0)


@functools.cache
def vendor(name: str) -> re.Pattern[str]:
    """The compiled rest of a vendor's key: what follows the keyword."""
    return re.compile(VENDORS[name][1])
