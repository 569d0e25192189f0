// A whole server in this process on a fresh database and a free loopback port, for tests of what its clients see.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Overrides } from '../app.ts';
import { parseInvocation } from '../config.ts';
import { createLogger } from '../log/log.ts';

export interface TestServer {
  readonly url: string;
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>;
}

/** `flags` are svcd's own; `env` is the server's whole environment. */
export async function startTestServer(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-test-'));
  const invocation = parseInvocation(['--addr', '127.0.0.1:0', '--data-dir', dataDir, ...flags], env);
  if (invocation.kind !== 'serve') throw new Error(invocation.kind === 'exit' ? invocation.text : 'these flags start no server');
  const server = await startServer(invocation.config, createLogger({ level: 'silent', format: 'json' }), overrides);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
