// The pipeline of a tool call without isolation, beside a bare POST of the same body by the same HTTP client to the same server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { createEgress } from '../server/egress/create-egress.ts';
import type { Egress } from '../server/egress/egress.ts';
import type { ToolInvocation, ToolPort } from '../server/engine/ports.ts';
import { toolCall, toolDeps } from '../server/testing/tool-deps.ts';
import { createToolPort } from '../server/tools/create-tool-port.ts';
import { callHashOf } from '../server/tools/decision-check.ts';
import { protocolRequest } from '../server/tools/protocol/request.ts';
import { compared, percentile, type Row } from './row.ts';

const WARM_UP = 500;
const ROUNDS = 20;
/** Calls of each kind in a round: all kinds take turns, so that noise falls on all of them. */
const CALLS = 100;
const ANSWER = JSON.stringify({ status: 'ok', output: { result: { found: ['a', 'b', 'c'] } } });
const SCHEMA = { type: 'object', properties: { q: { type: 'string' }, limit: { type: 'integer' } }, required: ['q'] };
const TARGET_MS = 0.5;

interface Contender {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  readonly samples: number[];
}

export async function benchTools(): Promise<Row[]> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => void response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Agent();
  const egress = createEgress();
  try {
    const contenders = [bare(agent, url), ...pipelines(createPort(egress), url)];
    for (const { call } of contenders) for (let n = 0; n < WARM_UP; n += 1) await call();
    for (let round = 0; round < ROUNDS; round += 1) for (const contender of contenders) await measure(contender);
    return rows(contenders);
  } finally {
    await Promise.all([agent.close(), egress.close()]);
    server.closeAllConnections();
    server.close();
  }
}

async function measure({ call, samples }: Contender): Promise<void> {
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now();
    await call();
    samples.push(performance.now() - began);
  }
}

function rows([reference, ...contenders]: readonly Contender[]): Row[] {
  const bareMs = percentile(reference?.samples ?? [], 50);
  return contenders.map(({ name, samples }) => {
    const value = percentile(samples, 50);
    const over = value - bareMs;
    const note = `${over.toFixed(3)} ms over it; target < ${TARGET_MS} ms`;
    return compared({ name, value, unit: 'ms p50', reference: bareMs, referenceName: 'bare undici POST', note });
  });
}

const INPUT = { q: 'what causes the tides', limit: 5 };

function bare(agent: Agent, url: string): Contender {
  const body = JSON.stringify(protocolRequest(toolCall({}, { input: INPUT }), 1));
  const call = async () => {
    const response = await agent.request({ origin: url, path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return response.body.text();
  };
  return { name: 'bare', call, samples: [] };
}

function createPort(egress: Egress): ToolPort {
  const secrets = { resolveValue: () => Promise.resolve('a-bearer-token'), resolveEntries: () => Promise.resolve({}) };
  const decisions = { callHashOf: () => Promise.resolve(callHashOf(toolCall({}, { input: INPUT }))) };
  return createToolPort({ ...toolDeps(), egress, secrets, decisions });
}

function pipelines(port: ToolPort, endpoint: string): Contender[] {
  const spec = (type: string, more: Record<string, unknown> = {}) => ({ type, endpoint, input_schema: SCHEMA, ...more });
  const auth = { secretRef: 'token' };
  const call = (of: Record<string, unknown>) => toolCall(of, { input: INPUT });
  const approved = call(spec('external', { auth }));
  const kinds: [string, ToolInvocation][] = [
    ['tool call, http', call(spec('http'))],
    ['tool call, external with a token', call(spec('external', { auth }))],
    ['tool call, external, approved', { ...approved, approved: { decision: 1, callHash: callHashOf(approved) } }],
  ];
  return kinds.map(([name, invocation]) => {
    const { signal } = new AbortController();
    return { name, call: () => port.invoke(invocation, { signal }), samples: [] };
  });
}
