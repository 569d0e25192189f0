// Schema version 2: objects by name, whatever their namespace and case. (By the name itself, planners would take it for lists of a namespace, too.)
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE INDEX objects_by_folded_name ON objects (kind, lower(name), namespace, name);
`;
