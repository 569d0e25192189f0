// Schema version 5: replaced specs of objects. The current spec of an object is in its row of objects alone.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE spec_versions (
  uid TEXT NOT NULL,
  generation INTEGER NOT NULL,
  written_at TEXT NOT NULL,
  written_by TEXT,
  replaced_at TEXT NOT NULL,
  size INTEGER NOT NULL,
  spec TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX spec_versions_by_object ON spec_versions (uid, generation);
CREATE INDEX spec_versions_by_age ON spec_versions (replaced_at);
`;
