// svcctl against a real server, for the tests of one file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';
import { startSvcctl, type CliOptions, type CliResult, type RunningCli } from './run-svcctl.ts';
import { startTestServer, type TestServer } from './running-server.ts';

interface CliServer {
  readonly server: TestServer;
  /** Working directory of svcctl, empty at first. */
  readonly cwd: string;
  readonly start: (argv: readonly string[], options?: CliOptions) => RunningCli;
  readonly svcctl: (argv: readonly string[], options?: CliOptions) => Promise<CliResult>;
  /** Name of a namespace that no other test of the file uses. */
  readonly freshNamespace: () => string;
}

/** Starts the server with these variables; it stops at the end of the test file. */
export async function startCliServer(env: Readonly<Record<string, string>> = {}): Promise<CliServer> {
  const server = await startTestServer([], env);
  const cwd = await mkdtemp(join(tmpdir(), 'svcctl-test-'));
  atFileEnd(async () => {
    await server.stop();
    await rm(cwd, { recursive: true });
  });
  let namespaces = 0;
  const start: CliServer['start'] = (argv, options) => startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: server.url } }, options);
  return { server, cwd, start, svcctl: (argv, options) => start(argv, options).done, freshNamespace: () => `ns-${(namespaces += 1)}` };
}
