// Schema version 7: values that lists are sorted by. Each has a row while the object has it, so that a page is a range of one index.
// Without statistics the planner takes the newest of several indexes that look equally cheap: the one of a namespace is made last.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE sort_values (
  kind text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  object_id bigint NOT NULL,
  PRIMARY KEY (kind, field, value, namespace, name)
);
CREATE INDEX sort_values_by_namespace ON sort_values (kind, field, namespace, value, name, object_id);
`;
