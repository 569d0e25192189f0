// Schema version 6: replaced specs of objects. The current spec of an object is in its row of objects alone.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE spec_versions (
  uid text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  written_at text COLLATE "C" NOT NULL,
  written_by text COLLATE "C",
  replaced_at text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  spec text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX spec_versions_by_object ON spec_versions (uid, generation);
CREATE INDEX spec_versions_by_age ON spec_versions (replaced_at);
`;
