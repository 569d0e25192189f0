-- The tables between this service and tools of type queue on PostgreSQL. Run once in the tools' database; running it again changes nothing.
--
-- The service inserts a request and waits for the reply with the same queue and request_id. A worker of the tool takes a request, does the
-- work, and inserts the reply:
--
--   UPDATE svc_tool_requests SET taken_at = now(), taken_by = 'worker-1'
--   WHERE (queue, request_id) = (
--     SELECT queue, request_id FROM svc_tool_requests
--     WHERE queue = 'search' AND taken_at IS NULL AND expires_at > now()
--     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
--   RETURNING request_id, request;
--
--   INSERT INTO svc_tool_replies (queue, request_id, reply)
--   VALUES ('search', $1, '{"status":"ok","output":{"result":"done"}}') ON CONFLICT DO NOTHING;
--
-- Wake-ups: LISTEN svc_tool_requests (payload: the queue). They are hints: look at the table now and then as well.
-- What is old may be deleted once no run can ask for it again: DELETE FROM svc_tool_requests WHERE expires_at < now() - interval '7 days';

CREATE TABLE IF NOT EXISTS svc_tool_requests (
  queue text NOT NULL,
  -- The same in each attempt of one call, and after a crash of the service: a request is there once.
  request_id text NOT NULL,
  -- Tool protocol v1.
  request jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Past it the call no longer waits for the reply.
  expires_at timestamptz NOT NULL,
  taken_at timestamptz,
  taken_by text,
  PRIMARY KEY (queue, request_id)
);
CREATE INDEX IF NOT EXISTS svc_tool_requests_waiting ON svc_tool_requests (queue, created_at) WHERE taken_at IS NULL;
CREATE INDEX IF NOT EXISTS svc_tool_requests_expiry ON svc_tool_requests (expires_at);

CREATE TABLE IF NOT EXISTS svc_tool_replies (
  queue text NOT NULL,
  request_id text NOT NULL,
  -- Tool protocol v1.
  reply jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, request_id),
  FOREIGN KEY (queue, request_id) REFERENCES svc_tool_requests ON DELETE CASCADE
);

CREATE OR REPLACE FUNCTION svc_tool_request_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('svc_tool_requests', NEW.queue);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION svc_tool_reply_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('svc_tool_replies', NEW.request_id);
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS svc_tool_request_notify ON svc_tool_requests;
CREATE TRIGGER svc_tool_request_notify AFTER INSERT OR UPDATE OF taken_at ON svc_tool_requests
  FOR EACH ROW WHEN (NEW.taken_at IS NULL) EXECUTE FUNCTION svc_tool_request_notify();
DROP TRIGGER IF EXISTS svc_tool_reply_notify ON svc_tool_replies;
CREATE TRIGGER svc_tool_reply_notify AFTER INSERT ON svc_tool_replies
  FOR EACH ROW EXECUTE FUNCTION svc_tool_reply_notify();
