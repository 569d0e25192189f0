// REST figures: a real svcd against bare node:http and bare express on the same body, load from this process with 32 connections.
import { startServerProcess } from '../server/testing/server-process.ts';
import { perSecond, withReference, type Request } from './rest-load.ts';
import { compared, type Row } from './row.ts';

const agent = (name: string) => ({
  apiVersion: 'svc.dev/v1',
  kind: 'Agent',
  metadata: { name, labels: { team: 'research', tier: 'gold' } },
  spec: { model_ref: 'mock', prompt: 'You are a careful researcher. '.repeat(20), tools: ['search', 'fetch'], limits: { max_steps: 8 } },
});

/** Objects that the agents refer to: without them each status would report a missing reference. */
const tool = (name: string) => ({ metadata: { name }, spec: { type: 'http', endpoint: 'https://tools.example.com/' } });
const REFERENCED = [
  ['model-endpoints', { metadata: { name: 'mock' }, spec: { provider: 'mock' } }],
  ['tools', tool('search')],
  ['tools', tool('fetch')],
] as const;

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

let serial = 0;
/** Creates one new object per request. */
function createRequests(url: string): Request {
  return {
    url,
    requests: [
      {
        method: 'POST',
        path: new URL(url).pathname,
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: JSON.stringify(agent(`agent-${String((serial += 1)).padStart(8, '0')}`)) }),
      },
    ],
  };
}

const references = [
  ['node', 'bare node:http'],
  ['express', 'bare express'],
] as const;

export async function benchHttp(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'warn'] });
  try {
    for (const [plural, object] of REFERENCED) await post(`${server.url}/v1/${plural}`, object);
    const stored = await post(`${server.url}/v1/agents`, agent('bench'));
    const get = await perSecond({ url: `${server.url}/v1/agents/bench` });
    const create = await perSecond(createRequests(`${server.url}/v1/agents`));
    const list = await perSecond({ url: `${server.url}/v1/agents?limit=100` });
    const rows: Row[] = [];
    for (const [kind, referenceName] of references) {
      const bareGet = await withReference(kind, stored, (url) => perSecond({ url }));
      const barePost = await withReference(kind, stored, (url) => perSecond(createRequests(url)));
      rows.push(compared({ name: 'REST get', value: get, unit: 'req/s', reference: bareGet, referenceName }));
      rows.push(compared({ name: 'REST create (durable)', value: create, unit: 'req/s', reference: barePost, referenceName }));
    }
    const items = await (await fetch(`${server.url}/v1/agents?limit=100`)).json();
    const bareList = await withReference('node', items, (url) => perSecond({ url }));
    rows.push(compared({ name: 'REST list of 100', value: list, unit: 'req/s', reference: bareList, referenceName: 'bare node:http' }));
    return rows;
  } finally {
    await server.dispose();
  }
}
