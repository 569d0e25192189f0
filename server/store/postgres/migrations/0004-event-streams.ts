// Schema version 4: event streams. The newest number of a stream is a row of its own, which every append locks.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE event_streams (
  owner text COLLATE "C" PRIMARY KEY NOT NULL,
  head bigint NOT NULL
);

CREATE TABLE stream_events (
  owner text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  timestamp text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  data text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX stream_events_by_owner ON stream_events (owner, seq);
`;
