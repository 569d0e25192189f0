// Commit rate of the database itself, for benchmarks: single-row inserts, each a durable commit of its own, over several connections at once.
import pg from 'pg';

export interface CommitLoad {
  readonly connections: number;
  readonly forMs: number;
  /** Text of about this many characters in each row. */
  readonly rowCharacters: number;
}

/** Connections that anybody but the caller has to the database of this URL. */
export async function openConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    return rows[0]?.open ?? 0;
  } finally {
    await client.end();
  }
}

async function insertUntil(client: pg.Client, until: number, text: string): Promise<number> {
  let done = 0;
  while (performance.now() < until) {
    await client.query({ name: 'insert', text: 'INSERT INTO bare_commits (body) VALUES ($1)', values: [text] });
    done += 1;
  }
  return done;
}

/** Commits per second of the bare database, in a table of their own that goes afterwards. */
export async function bareCommitsPerSecond(url: string, { connections, forMs, rowCharacters }: CommitLoad): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    await clients[0]?.query('CREATE TABLE bare_commits (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)');
    const began = performance.now();
    const text = 'x'.repeat(rowCharacters);
    const counts = await Promise.all(clients.map((client) => insertUntil(client, began + forMs, text)));
    const total = counts.reduce((sum, count) => sum + count, 0);
    return (total * 1000) / (performance.now() - began);
  } finally {
    await clients[0]?.query('DROP TABLE IF EXISTS bare_commits');
    await Promise.all(clients.map((client) => client.end()));
  }
}
