// Fifty Tasks of three agents at once, with a model that takes a second for each call: waiting must overlap, whatever the worker does.
import { json, startLoopbackServer } from '../server/testing/loopback-server.ts';
import { COMPLETION, loopbackModel } from './loopback-model.ts';
import { compared, type Row } from './row.ts';
import { post, settled, watchTasks } from './task-load.ts';

const TASKS = 50;
const MODEL_MS = 1_000;
const CHAIN = ['first', 'second', 'third'];

const system = (modelUrl: string) => [
  ...loopbackModel('slow', modelUrl),
  ...CHAIN.map((name) => ({ kind: 'Agent', metadata: { name }, spec: { model_ref: 'slow', prompt: 'Answer.' } })),
  { kind: 'AgentSystem', metadata: { name: 'chain' }, spec: { agents: CHAIN } },
];

/** Milliseconds from the first create to the last end. The workers behind `url` must have a slot for every Task. */
export async function overlapMs(url: string): Promise<number> {
  const model = await startLoopbackServer((response, request) => void setTimeout(() => json(COMPLETION)(response, request), MODEL_MS));
  const abort = new AbortController();
  try {
    await post(`${url}/v1/apply`, system(model.url));
    const open = new Set(Array.from({ length: TASKS }, (_, n) => `overlap-${n}`));
    let failed: string | undefined;
    let allEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (allEnded = resolve));
    const onItem: Parameters<typeof watchTasks>[1] = ({ name, resource: { status } }) => {
      if (!settled(status.phase) || !open.delete(name)) return;
      if (status.phase !== 'Succeeded') failed = `${name} ended ${status.phase}: ${status.reason}`;
      if (open.size === 0) allEnded();
    };
    await watchTasks(url, onItem, abort.signal);
    const began = performance.now();
    const task = (name: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 'chain' } });
    await Promise.all([...open].map((name) => post(`${url}/v1/tasks`, task(name))));
    await ended;
    if (failed) throw new Error(failed);
    return performance.now() - began;
  } finally {
    abort.abort();
    await model.close();
  }
}

export function overlapRow(engine: string, ms: number): Row {
  return compared({
    name: `${TASKS} three-agent tasks at once on ${engine}, a model of 1 s`,
    value: ms / 1000,
    unit: 's',
    reference: (CHAIN.length * MODEL_MS) / 1000,
    referenceName: 'three calls, nothing else',
    note: 'target under 5 s',
  });
}
