// Schema version 6: values that lists are sorted by. Each has a row while the object has it, so that a page is a range of one index.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE sort_values (
  kind TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  PRIMARY KEY (kind, field, value, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX sort_values_by_namespace ON sort_values (kind, field, namespace, value, name, object_id);
`;
