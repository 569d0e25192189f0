// Schema version 8: the newest number of an event stream is that of its last event, which is one step in the index. A row of its own was one more
// page to write with every append. The view keeps the name that a copy into PostgreSQL reads.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
DROP TABLE event_streams;
CREATE VIEW event_streams AS SELECT owner, max(seq) AS head FROM stream_events GROUP BY owner;
`;
