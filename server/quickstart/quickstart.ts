// The newcomer's first run: a server on embedded storage, a tool, a Task followed step by step, and where to go from there.
import { PROVIDER_VARIABLES } from '@svc/shared/environment-keys';
import { statusOf } from '@svc/shared/kinds/read';
import { startServer } from '../app.ts';
import { createApiClient } from '../cli/api/client.ts';
import { Screen, type OutputStream } from '../cli/output/screen.ts';
import { createStyle } from '../cli/output/style.ts';
import { usesColor } from '../cli/program/terminal.ts';
import { parseInvocation, type Config } from '../config.ts';
import { installedVersion } from '../installation.ts';
import { createLogger } from '../log/log.ts';
import { applyObjects, BLUEPRINT, followTask, readBlueprint, startTask } from './demo.ts';
import { startFactServer } from './fact-server.ts';
import { createLayout } from './layout.ts';

export interface QuickstartOptions {
  /** Port of the server; 0 picks a free one. */
  readonly port: number;
  /** Where the embedded database lives; runs share it. */
  readonly dataDir: string;
  /** End after the run instead of staying up. */
  readonly once: boolean;
  readonly stdout: OutputStream;
  /** Where the server's errors go, should there be any. */
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** svcd's own flags; the environment is left out, so that the settings of another server do not reach this one. */
function serverConfig({ port, dataDir }: QuickstartOptions): Config {
  const argv = ['--addr', `127.0.0.1:${port}`, '--data-dir', dataDir, '--allow-private-tool-endpoints'];
  const invocation = parseInvocation(argv, {});
  if (invocation.kind !== 'serve') throw new Error(invocation.kind === 'exit' ? invocation.text.trim() : 'these flags start no server');
  return invocation.config;
}

const providerKeysIn = (env: QuickstartOptions['env']) =>
  Object.fromEntries(PROVIDER_VARIABLES.map((variable) => [variable, env[variable]]));

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Runs the demo against a running server; answers whether the Task succeeded. */
async function demonstrate(server: { url: string }, toolUrl: string, options: QuickstartOptions): Promise<boolean> {
  const { env, signal } = options;
  const stdout = new Screen(options.stdout);
  const layout = createLayout(createStyle(usesColor(stdout, env, true)), stdout.columns ?? 100);
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  };
  print(layout.title(installedVersion()));
  print(layout.fact('server', server.url, `embedded SQLite in ${options.dataDir}`));
  print(layout.fact('tool', toolUrl, 'served by this program'));
  print(layout.fact('blueprint', BLUEPRINT, 'planner → research → writer, mock model'));
  const client = createApiClient({ server: server.url, token: undefined, env: {} });
  try {
    const blueprint = await readBlueprint(toolUrl);
    await applyObjects(client, blueprint.objects);
    const key = await startTask(client, blueprint.taskSpec);
    print(layout.runStarts(key.name));
    const task = await followTask(client, key, { onStep: (entry) => print(layout.step(entry)), signal });
    if (signal.aborted) return true;
    print(layout.result(task));
    print(layout.next({ url: server.url, taskName: key.name, staysUp: !options.once }));
    return statusOf('Task', task).phase === 'Succeeded';
  } finally {
    await client.close();
  }
}

/** Answers with the exit code once everything it started has stopped. */
export async function runQuickstart(options: QuickstartOptions): Promise<number> {
  const tool = await startFactServer();
  try {
    const log = createLogger({ level: 'error', format: 'pretty', sink: options.stderr });
    // On loopback, for the person who started it: keys of that person's environment are offered.
    const server = await startServer({ ...serverConfig(options), offerEnvironmentKeys: true, env: providerKeysIn(options.env) }, log);
    try {
      const succeeded = await demonstrate(server, tool.url, options);
      if (!options.once) await aborted(options.signal);
      return succeeded ? 0 : 1;
    } finally {
      await server.stop();
    }
  } finally {
    await tool.stop();
  }
}
