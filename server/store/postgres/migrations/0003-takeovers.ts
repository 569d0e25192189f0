// Schema version 3: how often a work item was taken from an owner that had not given it back.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
ALTER TABLE work_items ADD COLUMN takeovers integer NOT NULL DEFAULT 0;
`;
