// Latency of approvals over REST, through a svcd of its own: from the request of a run to a watcher, and from the decision to the run.
import { json, startLoopbackServer } from '../server/testing/loopback-server.ts';
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';
import { post, watchKind, watchTasks, type WatchItem } from './task-load.ts';

const RUNS = 200;
const WARM_UP = 20;
const LIMIT_MS = 100;

const kind = (name: string, metadata: string, spec: object) => ({ kind: name, metadata: { name: metadata }, spec });

/** A system whose only call needs an approval, and one whose only output is reviewed. */
const objects = (toolUrl: string) => [
  kind('ModelEndpoint', 'caller', { provider: 'mock', options: { script: '- tool: ping\n  input: { n: 1 }\n- text: done' } }),
  kind('ModelEndpoint', 'writer', { provider: 'mock' }),
  kind('Tool', 'ping', { type: 'http', endpoint: toolUrl, operation_classes: ['write'] }),
  kind('ToolPermission', 'ping', { operation_rules: [{ operation_class: 'write', verdict: 'approval_required' }] }),
  kind('Agent', 'caller', { model_ref: 'caller', prompt: 'Call.', tools: ['ping'] }),
  kind('Agent', 'writer', { model_ref: 'writer', prompt: 'Write.' }),
  kind('AgentSystem', 'held', { agents: ['caller'] }),
  kind('AgentSystem', 'reviewed', { agents: ['writer'], completion_review: { checkpoint_id: 'final' } }),
];

interface Lags {
  /** Time from the run's request to the watcher's event. */
  readonly seenMs: number[];
  /** From the moment the decision was sent to the first sign of the run going on. */
  readonly resumedMs: number[];
}

interface Asking {
  readonly url: string;
  readonly plural: 'tool-approvals' | 'task-approvals';
  readonly system: string;
  /** Resolves when the run of this Task has gone on. */
  readonly resumed: (task: string) => Promise<number>;
}

/** One Task after the other: it requests an approval, is seen, is approved, continues. */
async function lagsOf({ url, plural, system, resumed }: Asking): Promise<Lags> {
  const abort = new AbortController();
  const waiting = new Map<unknown, (seen: { item: WatchItem; at: number }) => void>();
  await watchKind(`${url}/v1/${plural}`, (item) => waiting.get(item.resource.spec['task_ref'])?.({ item, at: Date.now() }), abort.signal);
  const lags: Lags = { seenMs: [], resumedMs: [] };
  for (let n = 0; n < WARM_UP + RUNS; n += 1) {
    const task = `${system}-${n}`;
    const asked = new Promise<{ item: WatchItem; at: number }>((resolve) => waiting.set(task, resolve));
    await post(`${url}/v1/tasks`, kind('Task', task, { system }));
    const { item, at } = await asked;
    waiting.delete(task);
    const goesOn = resumed(task);
    const sent = performance.now();
    await post(`${url}/v1/${plural}/${item.name}/approve`, {});
    const resumedMs = (await goesOn) - sent;
    if (n < WARM_UP) continue;
    lags.seenMs.push(at - Date.parse(item.resource.metadata.createdAt));
    lags.resumedMs.push(resumedMs);
  }
  abort.abort();
  return lags;
}

function rowsOf(what: string, { seenMs, resumedMs }: Lags): Row[] {
  const row = (name: string, samples: readonly number[], p: number): Row => {
    const note = `at most ${LIMIT_MS} ms wanted`;
    return { name: `${what}: ${name}, p${p}`, value: percentile(samples, p), unit: 'ms', note };
  };
  return [50, 99].flatMap((p) => [row('asked → watcher', seenMs, p), row('decided → run goes on', resumedMs, p)]);
}

export async function benchApprovals(): Promise<Row[]> {
  const called: (() => void)[] = [];
  const tool = await startLoopbackServer((response, request) => {
    called.shift()?.();
    json({ ok: true })(response, request);
  });
  const server = await startServerProcess({ args: ['--allow-private-tool-endpoints', '--log-level', 'warn'] });
  const abort = new AbortController();
  try {
    const { url } = server;
    for (const object of objects(tool.url)) await post(`${url}/v1/apply`, object);
    const succeeded = new Map<string, () => void>();
    await watchTasks(url, ({ name, resource }) => resource.status.phase === 'Succeeded' && succeeded.get(name)?.(), abort.signal);
    const calls = () => new Promise<number>((resolve) => called.push(() => resolve(performance.now())));
    const ends = (task: string) => new Promise<number>((resolve) => succeeded.set(task, () => resolve(performance.now())));
    const held = await lagsOf({ url, plural: 'tool-approvals', system: 'held', resumed: calls });
    const reviewed = await lagsOf({ url, plural: 'task-approvals', system: 'reviewed', resumed: ends });
    return [...rowsOf('tool approval', held), ...rowsOf('task review', reviewed)];
  } finally {
    abort.abort();
    await server.dispose();
    await tool.close();
  }
}
