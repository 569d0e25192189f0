// One-agent Tasks in a closed loop over REST: each loop creates a Task, sees its end in the watch stream, and creates the next.

export const SOLO_SYSTEM = [
  { kind: 'ModelEndpoint', metadata: { name: 'mock' }, spec: { provider: 'mock' } },
  { kind: 'Agent', metadata: { name: 'solo' }, spec: { model_ref: 'mock', prompt: 'Answer.' } },
  { kind: 'AgentSystem', metadata: { name: 'one' }, spec: { agents: ['solo'], graph: { solo: {} } } },
];

export async function post(url: string, body: unknown): Promise<any> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
}

export const soloTask = (name: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 'one', input: { topic: 'tides' } } });
export const settled = (phase: string) => !['Pending', 'Running'].includes(phase);

export interface WatchItem {
  readonly name: string;
  readonly resource: {
    readonly metadata: { readonly createdAt: string };
    readonly spec: Readonly<Record<string, unknown>>;
    readonly status: { readonly phase: string; readonly reason?: string };
  };
}

/** Calls back with each Task of a watch stream until `signal` aborts. Resolves once the server has answered. */
export function watchTasks(url: string, onItem: (item: WatchItem) => void, signal: AbortSignal): Promise<void> {
  return watchKind(`${url}/v1/tasks`, onItem, signal);
}

/** The same for the kind whose list `url` is. */
export async function watchKind(url: string, onItem: (item: WatchItem) => void, signal: AbortSignal): Promise<void> {
  const stream = await fetch(`${url}/watch`, { signal });
  if (!stream.body) throw new Error('a watch stream has a body');
  const text = stream.body.pipeThrough(new TextDecoderStream());
  const read = async () => {
    let buffer = '';
    for await (const chunk of text) {
      const frames = (buffer + chunk).split('\n\n');
      buffer = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined && frame.includes('event: resource')) onItem(JSON.parse(data) as WatchItem);
      }
    }
  };
  void read().catch(() => undefined);
}

export interface Load {
  readonly concurrency: number;
  readonly forMs: number;
}

let loads = 0;

/** Tasks that succeeded per second. Throws when one ends in any other way. */
export async function tasksPerSecond(url: string, { concurrency, forMs }: Load): Promise<number> {
  const prefix = `load-${(loads += 1)}`;
  const waiting = new Map<string, () => void>();
  const abort = new AbortController();
  let failed: string | undefined;
  await watchTasks(
    url,
    ({ name, resource: { status } }) => {
      if (!settled(status.phase)) return;
      if (status.phase !== 'Succeeded' && waiting.has(name)) failed = `${name} ended ${status.phase}: ${status.reason}`;
      waiting.get(name)?.();
    },
    abort.signal,
  );
  let completed = 0;
  const began = performance.now();
  const loop = async (n: number) => {
    for (let i = 0; performance.now() - began < forMs; i += 1) {
      const name = `${prefix}-${n}-${i}`;
      const done = new Promise<void>((resolve) => waiting.set(name, resolve));
      await post(`${url}/v1/tasks`, soloTask(name));
      await unstalled(name, done);
      waiting.delete(name);
      if (failed) throw new Error(failed);
      completed += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, (_, n) => loop(n)));
  } finally {
    abort.abort();
  }
  return (completed * 1000) / (performance.now() - began);
}

const STALL_MS = 60_000;

/** A Task that does not end is a fault, not a slow benchmark. */
async function unstalled(name: string, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not end within ${STALL_MS / 1000} s`)), STALL_MS);
  });
  await Promise.race([done, stalled]).finally(() => clearTimeout(timer));
}
