// Schema version 4: event streams. The newest number of a stream is a row of its own, which every append locks.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE event_streams (
  owner TEXT PRIMARY KEY NOT NULL,
  head INTEGER NOT NULL
) STRICT;

CREATE TABLE stream_events (
  owner TEXT NOT NULL,
  seq INTEGER NOT NULL,
  timestamp TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX stream_events_by_owner ON stream_events (owner, seq);
`;
