"""Word lists of the own rules."""

from __future__ import annotations

# What stands where a secret would, in documentation and defaults.
PLACEHOLDERS = frozenset({
    "1password", "admin", "api_key", "apikey", "basic", "bearer", "bitwarden", "bytes", "change-me", "change_me",
    "changeit", "changeme", "default", "dummy", "empty", "env", "environment", "example", "false", "fixme",
    "hidden", "key", "keychain", "masked", "nil", "none", "null", "oauth", "oauth2", "optional", "pass", "passwd",
    "password", "passwort", "placeholder", "prompt", "pwd", "redacted", "removed", "required", "root", "secret",
    "secrets", "senha", "stdin", "str", "string", "tbd", "test", "testing", "text", "todo", "token", "tokens",
    "true", "undefined", "unset", "user", "username", "value", "vault", "пароль",
})  # fmt: skip

# Terms with digits in them that describe a secret and are none.
TECH = frozenset({
    "aes128", "aes256", "argon2", "argon2id", "auth0", "base32", "base58", "base64", "base64url", "bcrypt", "ec2",
    "ed25519", "es256", "hex", "hs256", "hs512", "http1", "http2", "i18n", "ipv4", "ipv6", "k8s", "l10n", "log4j",
    "md5", "oauth1", "oauth2", "oauth2client", "p12", "pbkdf2", "pkcs12", "pkcs8", "py3", "python2", "python3",
    "rs256", "s3", "scrypt", "sha1", "sha256", "sha3", "sha512", "utf", "utf16", "utf8", "web3", "x509",
})  # fmt: skip

# Words after a name that make it the name of something else: `token_count`, `secret_id`.
NOT_A_VALUE = frozenset({
    "alg", "algorithm", "arn", "at", "bucket", "budget", "cache", "count", "counts", "created", "description",
    "digest", "enabled", "endpoint", "env", "error", "expiration", "expire", "expired", "expires", "expiry",
    "field", "file", "filename", "files", "fingerprint", "form", "format", "hash", "hashed", "header", "hint", "id",
    "ids", "index", "input", "kind", "label", "len", "length", "limit", "limits", "list", "manager", "max",
    "message", "min", "name", "names", "path", "paths", "pattern", "placeholder", "policy", "prefix", "provider",
    "rate", "ref", "refs", "regex", "required", "reset", "rotation", "scope", "scopes", "sha", "sha256", "size",
    "status", "store", "strength", "suffix", "title", "ttl", "type", "types", "updated", "uri", "url", "usage",
    "used", "version",
})  # fmt: skip

# Words that may follow a name without a border: `apikeyvalue`, `secretkey`.
GLUED = frozenset({
    "accesskey", "data", "key", "string", "value",
})  # fmt: skip

# Attributes of a cookie, as against its own name.
ATTRIBUTES = frozenset({
    "comment", "domain", "expires", "httponly", "max-age", "path", "priority", "samesite", "secure", "version",
})  # fmt: skip

# Names of secrets. Letters outside ASCII are not folded by case, so each spelling in use stands here.
PASSWORD_NAMES = (
    "password", "passwd", "passphrase", "passcode", "pwd", "_pass", "passwort", "kennwort", "senha", "contrasena",
    "contraseña", "Contraseña", "CONTRASEÑA", "mot de passe", "пароль", "Пароль", "ПАРОЛЬ", "wachtwoord", "hasło",
    "Hasło", "lösenord", "Lösenord", "şifre", "Şifre", "密码", "密碼", "パスワード", "비밀번호",
)  # fmt: skip
TOKEN_NAMES = (
    "token", "secret", "api_key", "api-key", "apikey", "api key", "access_key", "access-key", "access key", "accesskey",
    "private_key", "private key", "auth_key", "authkey", "account_key", "accountkey", "signing_key", "encryption_key",
    "encryption key", "master_key", "license_key", "credential", "_auth", "токен", "Токен", "ТОКЕН", "api-ключ",  # noqa: RUF001
    "ключ api", "API-ключ", "api-schlüssel", "API-Schlüssel", "&sig=", "?sig=",
)  # fmt: skip
KEY_NAMES = ("_key", "-key", "&key", "?key")
