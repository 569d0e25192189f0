// Schema version 1. Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE objects (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  uid TEXT NOT NULL,
  created_at TEXT NOT NULL,
  resource_version INTEGER NOT NULL,
  terms TEXT NOT NULL,
  doc TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX objects_by_name ON objects (kind, namespace, name);
CREATE INDEX objects_by_created ON objects (kind, created_at, namespace, name);
CREATE INDEX objects_by_namespace_created ON objects (kind, namespace, created_at, name);

CREATE TABLE object_terms (
  kind TEXT NOT NULL,
  term TEXT NOT NULL,
  value TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  PRIMARY KEY (kind, term, value, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_terms_by_created ON object_terms (kind, term, value, created_at, namespace, name, object_id);
CREATE INDEX object_terms_by_namespace_created ON object_terms (kind, term, value, namespace, created_at, name, object_id);

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp TEXT NOT NULL,
  type TEXT NOT NULL,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  resource_version INTEGER NOT NULL,
  object TEXT,
  fact TEXT
) STRICT;
CREATE INDEX changes_by_kind ON changes (kind, seq, namespace);
CREATE INDEX changes_by_namespace ON changes (namespace, seq, kind);
CREATE INDEX changes_by_object ON changes (kind, namespace, name, seq);

CREATE TABLE journal (
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  timestamp TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_by_stream ON journal (stream, seq);

CREATE TABLE signals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  stream TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX signals_by_stream ON signals (stream, id);

CREATE TABLE work_items (
  queue TEXT NOT NULL,
  key TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  rank REAL NOT NULL,
  not_before REAL NOT NULL,
  demand TEXT NOT NULL,
  owner TEXT,
  fence INTEGER NOT NULL,
  lease_until REAL NOT NULL,
  parked INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  wake_at REAL,
  PRIMARY KEY (queue, key)
) STRICT;
CREATE INDEX work_items_ready ON work_items (queue, demand, rank, key) WHERE ready = 1;
CREATE INDEX work_items_waking ON work_items (queue, wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE documents (
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (collection, id)
) STRICT;
`;
