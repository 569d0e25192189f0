// Schema version 8: words that objects are searched by. A row of the index has the id of its object; search_pending has the ids of objects whose
// texts are to be indexed. An index of words is read by a bitmap, which sessions of the store have switched off: a function of its own reads it.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE search_pending (
  object_id bigint PRIMARY KEY
);
CREATE TABLE search_words (
  object_id bigint PRIMARY KEY,
  words tsvector NOT NULL
);
CREATE INDEX search_words_by_word ON search_words USING gin (words) WITH (fastupdate = off);
CREATE FUNCTION search_matches(terms tsquery) RETURNS SETOF bigint LANGUAGE sql STABLE ROWS 100 SET enable_bitmapscan = on
  AS 'SELECT object_id FROM search_words WHERE words @@ terms';
`;
