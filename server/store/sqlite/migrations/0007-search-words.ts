// Schema version 7: words that objects are searched by. A row of the index has the id of its object; search_pending has the ids of objects whose
// texts are to be indexed. Words come folded, so that the simplest tokenizer reads them as they are.
// Released migrations never change: the test beside the list freezes them by hash.

export const sql = `
CREATE TABLE search_pending (
  object_id INTEGER PRIMARY KEY
) STRICT;
CREATE VIRTUAL TABLE search_words USING fts5(
  words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '-:.'"
);
`;
