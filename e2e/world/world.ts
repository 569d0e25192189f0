// A server with example data: the blueprints, an operations desk, and runs of every outcome. For tests, benchmarks and demonstrations.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServerProcess, type ServerOptions, type ServerProcess } from '../../server/testing/server-process.ts';

const root = join(import.meta.dirname, '..', '..');

export interface World {
  readonly url: string;
  /** Name under which its pages act: nobody signs in to a server without authentication. */
  readonly person: string;
  /** Sends one request of the REST API; rejects with the server's words when it is refused. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Applies YAML documents. */
  apply(yaml: string, namespace?: string): Promise<void>;
  /** Resolves with the Task once its phase is one of these. */
  untilPhase(task: string, phases: readonly string[]): Promise<{ status: { phase: string } }>;
  run(system: string, name: string, input: Readonly<Record<string, string>>): Promise<void>;
  dispose(): Promise<void>;
}

export interface ServerWorld extends World {
  readonly server: ServerProcess;
}

export interface WorldOptions extends ServerOptions {
  /** Token of an administrator, where the server requires one. */
  readonly token?: string;
}

/** A server that another program started; `headers` authenticate each request. */
export interface Host {
  readonly url: string;
  readonly person: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly dispose: () => Promise<void>;
}

export function worldOf({ url, person, headers, dispose }: Host): World {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const yaml = typeof body === 'string';
    const type = body === undefined ? {} : { 'content-type': yaml ? 'application/yaml' : 'application/json' };
    const sent = body === undefined ? {} : { body: yaml ? body : JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers: { ...(await headers()), ...type }, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const untilPhase: World['untilPhase'] = async (task, phases) => {
    const [namespace, name] = task.split('/');
    for (;;) {
      const found = (await call('GET', `/v1/tasks/${name}?namespace=${namespace}`)) as { status: { phase: string } };
      if (phases.includes(found.status.phase)) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    url,
    person,
    call,
    apply: async (yaml, namespace = 'default') => void (await call('POST', `/v1/apply?namespace=${namespace}`, yaml)),
    untilPhase,
    run: async (system, name, input) => {
      const [namespace = '', systemName = ''] = system.split('/');
      const metadata = { name, namespace };
      await call('POST', `/v1/tasks?namespace=${namespace}`, { kind: 'Task', metadata, spec: { system: systemName, input } });
    },
    dispose,
  };
}

export async function createWorld({ token, ...options }: WorldOptions = {}): Promise<ServerWorld> {
  const server = await startServerProcess(options);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const dispose = () => server.dispose();
  return { ...worldOf({ url: server.url, person: 'anonymous', headers: async () => headers, dispose }), server };
}

/** The documents of one blueprint. */
function blueprint(name: string): string {
  const folder = join(root, 'resources', 'blueprints', name);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n---\n');
}

/** Fills a server: five blueprints in `default`, and `operations` with runs that succeeded, failed, wait for people and still run. */
export async function seedWorld(world: World): Promise<void> {
  for (const name of ['single-agent', 'pipeline', 'fan-out-join', 'cycle', 'approval']) await world.apply(blueprint(name));
  await world.apply(readFileSync(join(import.meta.dirname, 'operations.yaml'), 'utf8'));
  const desk = 'operations/service-desk';
  for (let index = 1; index <= 6; index += 1) await world.run(desk, `question-${index}`, { request: `When are you open on day ${index}?` });
  await world.run(desk, 'invoice-cleanup', { request: 'Our invoice list has duplicates, please clean up.' });
  // In sequence, so that the first of the two calls is the first to expire on however busy a machine.
  await world.untilPhase('operations/invoice-cleanup', ['WaitingApproval']);
  await world.run(desk, 'invoice-second', { request: 'There is a wrong invoice again.' });
  await world.run(desk, 'checkout-outage', { request: 'There is an outage of the checkout.' });
  await world.run('operations/quarterly-report', 'report-q3', { quarter: 'Q3' });
  await world.run('operations/unreliable', 'doomed', { request: 'Try.' });
  await world.run('operations/patient', 'long-haul', { request: 'Wait.' });
  const waiting = ['WaitingApproval'];
  for (const name of ['invoice-second', 'checkout-outage', 'report-q3']) await world.untilPhase(`operations/${name}`, waiting);
  await world.untilPhase('operations/doomed', ['Failed', 'DeadLetter']);
  for (let index = 1; index <= 6; index += 1) await world.untilPhase(`operations/question-${index}`, ['Succeeded']);
}
