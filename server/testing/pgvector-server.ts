// A PostgreSQL with pgvector for tests: PGlite over a socket, in a process of its own. It takes one connection at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface PgvectorServer {
  /** Endpoint of a Memory. */
  readonly endpoint: string;
  /** Runs SQL beside the connections. */
  readonly query: <Row>(sql: string) => Promise<Row[]>;
  /** Takes no more connections and ends those that are open, until `resume`. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Reply {
  readonly id: number;
  readonly rows?: unknown;
  readonly problem?: string;
}

export async function startPgvectorServer(): Promise<PgvectorServer> {
  const child = fork(fileURLToPath(new URL('./pgvector-process.mjs', import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const replies = new Map<number, (reply: Reply) => void>();
  const replyTo = (id: number) => new Promise<Reply>((resolve) => replies.set(id, resolve));
  child.on('message', (reply: Reply) => {
    replies.get(reply.id)?.(reply);
    replies.delete(reply.id);
  });
  child.on('exit', () => replies.forEach((resolve, id) => resolve({ id, problem: 'the process of PGlite ended' })));
  let last = 0;
  const request = async (message: object): Promise<unknown> => {
    const id = (last += 1);
    const answered = replyTo(id);
    child.send({ id, ...message });
    return resultOf(await answered);
  };
  const port = resultOf(await replyTo(0)) as number;
  return {
    endpoint: `postgres://postgres@127.0.0.1:${port}/postgres`,
    query: async <Row>(sql: string) => (await request({ query: sql })) as Row[],
    pause: async () => void (await request({ pause: true })),
    resume: async () => void (await request({ pause: false })),
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function resultOf({ rows, problem }: Reply): unknown {
  if (problem !== undefined) throw new Error(problem);
  return rows;
}
