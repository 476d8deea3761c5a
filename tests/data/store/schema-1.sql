-- Schema 1 as it was released, with a little of everything in it. Frozen: never edited, also not with the schema.
PRAGMA application_id = 1835755892;
CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL, path TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
        remote TEXT NOT NULL, source TEXT NOT NULL, thread_source TEXT NOT NULL, originator TEXT NOT NULL,
        provider TEXT NOT NULL, cli_version TEXT NOT NULL, memory_mode TEXT NOT NULL, forked_from TEXT NOT NULL,
        started_at REAL NOT NULL, updated_at REAL NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        state TEXT NOT NULL, reason TEXT, detail TEXT NOT NULL DEFAULT '', until REAL,
        bad_lines INTEGER NOT NULL DEFAULT 0, unknown_lines INTEGER NOT NULL DEFAULT 0,
        generate INTEGER NOT NULL DEFAULT 1, "use" INTEGER NOT NULL DEFAULT 1,
        tokens_used INTEGER NOT NULL DEFAULT 0);
CREATE TABLE files (
        path TEXT PRIMARY KEY NOT NULL, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, updated_at REAL NOT NULL);
CREATE INDEX files_by_session ON files (session_id);
CREATE TABLE jobs (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, version TEXT NOT NULL,
        taken_at INTEGER, taken_size INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0, tried_at INTEGER, tried_size INTEGER, retry_at REAL,
        owner TEXT, leased_at REAL, lease_time INTEGER, lease_size INTEGER,
        PRIMARY KEY (session_id, version));
CREATE TABLE records (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, version TEXT NOT NULL,
        updated_at INTEGER NOT NULL, path TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
        remote TEXT NOT NULL, rollout_summary TEXT NOT NULL, slug TEXT NOT NULL, raw_memory TEXT NOT NULL,
        generated_at INTEGER NOT NULL, usage_count INTEGER NOT NULL, last_usage INTEGER, engine TEXT NOT NULL,
        flagged INTEGER NOT NULL, selected INTEGER NOT NULL, PRIMARY KEY (session_id, version));
CREATE TABLE usages (
        rollout_id TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (rollout_id, session_id)) WITHOUT ROWID;
CREATE TABLE claims (
        section TEXT NOT NULL, text TEXT NOT NULL, scope TEXT, created_at INTEGER NOT NULL, source TEXT NOT NULL,
        thread_id TEXT NOT NULL);
CREATE UNIQUE INDEX one_claim ON claims (section, scope IS NULL, ifnull(scope, ''), text, thread_id);
CREATE TABLE tombstones (
        subject TEXT NOT NULL, text TEXT NOT NULL, scope TEXT, section TEXT, created_at INTEGER NOT NULL,
        source TEXT NOT NULL, thread_id TEXT NOT NULL);
CREATE UNIQUE INDEX one_tombstone ON tombstones (
        scope IS NULL, ifnull(scope, ''), ifnull(section, ''), subject, text, thread_id);
CREATE TABLE runs (
        id INTEGER PRIMARY KEY, stage TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL NOT NULL,
        error TEXT NOT NULL, tokens_used INTEGER NOT NULL);
CREATE TABLE line_tokens (hash TEXT PRIMARY KEY NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
INSERT INTO sessions (id, path, cwd, branch, remote, source, thread_source, originator, provider, cli_version,
    memory_mode, forked_from, started_at, updated_at, size, mtime_ns, state, reason, detail, until, bad_lines,
    unknown_lines, generate, "use", tokens_used)
VALUES ('s1', '/rollouts/s1.jsonl', '/work/app', 'main', '', 'cli', '', '', 'openai', '0.160.0', 'enabled', '',
    1700000000.0, 1700000100.5, 1000, 1700000100500000000, 'extracted', NULL, '', NULL, 1, 2, 1, 0, 30),
    ('s2', '/rollouts/s2.jsonl', '', '', '', 'exec', '', '', '', '', 'enabled', '',
    0.0, 1700000200.0, 500, 1700000200000000000, 'failed', 'model_error', 'no answer', 1700003900.0, 0, 0, 1, 1, 0);
INSERT INTO files (path, session_id, size, mtime_ns, updated_at)
VALUES ('/rollouts/s1.jsonl', 's1', 1000, 1700000100500000000, 1700000100.5),
    ('/rollouts/s2.jsonl', 's2', 500, 1700000200000000000, 1700000200.0);
INSERT INTO jobs (session_id, version, taken_at, taken_size, attempts, tried_at, tried_size, retry_at)
VALUES ('s1', 'v2', 1700000100, 1000, 0, NULL, NULL, NULL),
    ('s2', 'v2', NULL, NULL, 1, 1700000200, 500, 1700003900.0);
INSERT INTO records (session_id, version, updated_at, path, cwd, branch, remote, rollout_summary, slug, raw_memory,
    generated_at, usage_count, last_usage, engine, flagged, selected)
VALUES ('s1', 'v2', 1700000100, '/rollouts/s1.jsonl', '/work/app', 'main', '', '# Fix the tests', 'fix_the_tests', '',
    1700000300, 2, 1700000400, 'offline', 0, 1);
INSERT INTO usages (rollout_id, session_id) VALUES ('s2', 's1');
INSERT INTO claims (section, text, scope, created_at, source, thread_id)
VALUES ('User preferences', 'Use tabs', '~/app', 1700000000, 'hand', '');
INSERT INTO tombstones (subject, text, scope, section, created_at, source, thread_id)
VALUES ('use spaces', 'Use spaces', NULL, 'User preferences', 1700000001, 'hand', '');
INSERT INTO runs (stage, started_at, ended_at, error, tokens_used) VALUES ('extract', 1700000250.0, 1700000300.0, '', 30);
INSERT INTO line_tokens (hash, tokens) VALUES ('aa', 7);
INSERT INTO meta (key, value) VALUES ('api', 'chat');
