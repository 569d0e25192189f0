// Schema version 9: the planner reckons with many namespaces, whatever the statistics say. Where all objects are in one namespace, PostgreSQL 18
// reads a list of it from the index of all namespaces, which is a scan of the whole kind once a second namespace has objects.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
ALTER TABLE objects ALTER COLUMN namespace SET (n_distinct = 1000);
DO $$ BEGIN
  -- Statistics of an empty table would make plans for an empty table.
  IF EXISTS (SELECT FROM objects) THEN ANALYZE objects (namespace); END IF;
END $$;
`;
