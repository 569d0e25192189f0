// Messages over A2A to a real svcd: time from the request to the first call of the model, beside a chat completion in the same run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServerProcess, type ServerProcess } from '../server/testing/server-process.ts';
import { COMPLETION, loopbackModel } from './loopback-model.ts';
import { compared, percentile, type Row } from './row.ts';
import { post } from './task-load.ts';

const WARM_UP = 30;
const ROUNDS = 5;
/** Calls of each kind in a round: all take turns, so that noise falls on all. */
const CALLS = 50;
const TARGET_MS = 10;

/** A model that reports the moment of its next call. */
async function startModel() {
  let called: (at: number) => void = () => undefined;
  const server = createServer((request, response) => {
    called(performance.now());
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(COMPLETION)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => new Promise<number>((resolve) => (called = resolve)),
    close: () => void server.close(),
  };
}

type Model = Awaited<ReturnType<typeof startModel>>;

let ids = 0;

/** Resolves when the answer has come. */
type Send = (url: string) => Promise<void>;

async function sent(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok || text.includes('"error"')) throw new Error(text);
}

const rpc = (method: string, params: object): Send => {
  return (url) => sent(`${url}/v1/agent-systems/loopback/a2a`, { jsonrpc: '2.0', id: 1, method, params });
};
const messageV1 = () => ({ messageId: `m-${(ids += 1)}`, role: 'ROLE_USER', parts: [{ text: 'Hello there' }] });
const messageV03 = () => ({ ...messageV1(), kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Hello there' }] });

const DIALECTS: readonly (readonly [name: string, send: Send])[] = [
  ['A2A 1.0: SendMessage', (url) => rpc('SendMessage', { message: messageV1() })(url)],
  ['A2A 0.3: message/send', (url) => rpc('message/send', { message: messageV03() })(url)],
  [
    'plain A2A: tasks/send',
    (url) => rpc('tasks/send', { id: `t-${(ids += 1)}`, message: { role: 'user', parts: [{ type: 'text', text: 'Hello there' }] } })(url),
  ],
];

const chat: Send = (url) => sent(`${url}/v1/chat/completions`, { model: 'loopback', messages: [{ role: 'user', content: 'Hello there' }] });

/** Each call begins when the one before it has been answered. */
async function measure(server: ServerProcess, model: Model, { send, calls }: { send: Send; calls: number }): Promise<number[]> {
  const samples: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const called = model.next();
    const began = performance.now();
    const answered = send(server.url);
    samples.push((await called) - began);
    await answered;
  }
  return samples;
}

export async function benchA2a(): Promise<Row[]> {
  const model = await startModel();
  const server = await startServerProcess({ args: ['--log-level', 'warn', '--allow-private-model-endpoints'] });
  try {
    const agent = { kind: 'Agent', metadata: { name: 'speaker' }, spec: { model_ref: 'loopback', prompt: 'Answer.' } };
    const system = { kind: 'AgentSystem', metadata: { name: 'loopback' }, spec: { agents: ['speaker'], a2a: { enabled: true } } };
    await post(`${server.url}/v1/apply`, [...loopbackModel('loopback', model.url), agent, system]);
    const kinds = [['', chat] as const, ...DIALECTS].map(([name, send]) => ({ name, send, samples: [] as number[] }));
    for (const { send } of kinds) await measure(server, model, { send, calls: WARM_UP });
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { send, samples } of kinds) samples.push(...(await measure(server, model, { send, calls: CALLS })));
    const [reference = NaN, ...values] = kinds.map(({ samples }) => percentile(samples, 50));
    return DIALECTS.map(([name], index) =>
      compared({
        ...{ name: `${name} → first model call`, value: values[index] ?? NaN, unit: 'ms p50', reference, referenceName: 'chat completion' },
        note: `target ≤ ${TARGET_MS} ms`,
      }),
    );
  } finally {
    await server.dispose();
    model.close();
  }
}
