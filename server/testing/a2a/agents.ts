// Agent systems that are open to A2A on a test server, and a bare client for them.
import { readSse } from './read-sse.ts';

const TOKENS = {
  writer: 'the-long-token-of-the-writer',
  reader: 'the-long-token-of-the-reader',
  scoped: 'the-long-token-of-a-scope',
  other: 'the-long-token-of-another',
};
type TokenName = keyof typeof TOKENS | 'wrong';

export const tokens = [
  `writer:${TOKENS.writer}:admin`,
  `reader:${TOKENS.reader}:reader`,
  `scoped:${TOKENS.scoped}:a2a:default/echo|default/slow|default/asker`,
  `other:${TOKENS.other}:writer`,
].join(',');

export const tokenOf = (name: TokenName): string => (name === 'wrong' ? 'a-token-that-was-never-given' : TOKENS[name]);

interface CallOptions {
  /** Default `writer`; undefined when given so: none. */
  readonly token?: TokenName | undefined;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly contentType?: string;
}

const script = (steps: unknown) => ({ provider: 'mock', options: { script: JSON.stringify(steps) } });
const call = { text: 'let me see', tool: 'guarded', input: { to: 'prod' } };

const LONG = 'one two three four five six seven eight nine ten';
const MODELS: Readonly<Record<string, unknown>> = {
  echo: { provider: 'mock' },
  json: script([{ text: '{"answer":42}' }]),
  broken: script([{ error: { code: 'auth_invalid', message: 'wrong key' } }]),
  slow: script([{ text: LONG, pieces: 10, piece_delay: '60ms' }]),
  hangs: script([{ hang: true }]),
  asker: script([call, { text: 'approved and done' }]),
  parts: script([
    {
      text: '{"a2a":{"parts":[{"text":"literal"},{"raw":"aGk=","filename":"hi.txt","mediaType":"text/plain"},{"url":"https://example.com/x","mediaType":"text/plain"}]}}',
    },
  ]),
  // Longer than a busy machine takes at most times.
  reply: script([{ text: '{"a2a":{"message":{"parts":[{"text":"a direct answer"}]}}}', delay: '500ms' }]),
};

export async function createAgents(url: string) {
  const admin = { authorization: `Bearer ${TOKENS.writer}`, 'content-type': 'application/json' };
  const put = async (plural: string, name: string, spec: unknown) => {
    const body = JSON.stringify({ metadata: { name }, spec });
    const response = await fetch(`${url}/v1/${plural}`, { method: 'POST', headers: admin, body });
    if (!response.ok) throw new Error(`${plural}/${name}: ${response.status} ${await response.text()}`);
  };
  await put('tools', 'guarded', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low' });
  await put('tool-permissions', 'ask', { tool_ref: 'guarded', operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] });
  for (const [name, model] of Object.entries(MODELS)) {
    await put('model-endpoints', name, model);
    await put('agents', name, { model_ref: name, prompt: `You are ${name}.`, tools: name === 'asker' ? ['guarded'] : [] });
    await put('agent-systems', name, { agents: [name], a2a: { enabled: true } });
  }
  await put('agent-systems', 'open', { agents: ['echo'], a2a: { enabled: true, auth: 'public' } });
  await put('agent-systems', 'closed', { agents: ['echo'], a2a: { enabled: false } });
  return { ...client(url, admin), put };
}

export type Agents = Awaited<ReturnType<typeof createAgents>>;

function client(url: string, admin: Readonly<Record<string, string>>) {
  const request = (system: string, body: string | Buffer, options: CallOptions) => {
    const { path = `/v1/agent-systems/${system}/a2a`, signal, contentType = 'application/json' } = options;
    const token = 'token' in options ? options.token : 'writer';
    const headers = { 'content-type': contentType, ...(token && { authorization: `Bearer ${tokenOf(token)}` }), ...options.headers };
    return fetch(`${url}${path}`, { method: 'POST', headers, body, ...(signal && { signal }) });
  };
  const send = async (system: string, body: string | Buffer, options: CallOptions = {}): Promise<any> => {
    const response = await request(system, body, options);
    const said = await response.text();
    return { httpStatus: response.status, ...(said === '' ? {} : JSON.parse(said)) };
  };
  const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return {
    send,
    endpoint: (system: string) => `${url}/v1/agent-systems/${system}/a2a`,
    call: (system: string, method: string, params: unknown, options: CallOptions = {}) => send(system, rpc(method, params), options),
    callShared: (method: string, params: unknown, options: CallOptions = {}) => send('', rpc(method, params), { path: '/a2a', ...options }),
    async stream(system: string, method: string, params: unknown, options: CallOptions = {}) {
      const response = await request(system, rpc(method, params), options);
      return { contentType: response.headers.get('content-type'), events: await readSse(response) };
    },
    open: (system: string, method: string, params: unknown, options: CallOptions = {}) => request(system, rpc(method, params), options),
    get: async (path: string): Promise<any> => (await fetch(`${url}${path}`, { headers: admin })).json(),
    /** Deletes systems by name. */
    async remove(isGone: (name: string) => boolean) {
      for (const name of [...Object.keys(MODELS), 'open', 'closed'].filter(isGone))
        await fetch(`${url}/v1/agent-systems/${name}`, { method: 'DELETE', headers: admin });
    },
    /** Cookie of a browser that signed in with the token. */
    async login(): Promise<string> {
      const response = await fetch(`${url}/v1/auth/login`, {
        method: 'POST',
        headers: admin,
        body: JSON.stringify({ token: TOKENS.writer }),
      });
      return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    },
    async decide({ kind, name }: { kind: string; name: string }, decision: 'approve' | 'deny') {
      const plural = kind === 'ToolApproval' ? 'tool-approvals' : 'task-approvals';
      const response = await fetch(`${url}/v1/${plural}/${name}/${decision}`, { method: 'POST', headers: admin, body: '{}' });
      if (!response.ok) throw new Error(`${decision} ${name}: ${response.status} ${await response.text()}`);
    },
  };
}
