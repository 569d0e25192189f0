// An MCP server over stdio that misbehaves in the way that its first argument names.
import { createInterface } from 'node:readline';

const [mode] = process.argv.slice(2);
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const schema = { type: 'object' };
const LISTS = {
  clash: ['get/page', 'get_page'],
  odd: ['naïve tool!', '???', ' padded ', 'plain'],
  outside: ['plain', { name: 'bad', inputSchema: { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/s.json' } } } }],
};

const refers = (target) => ({ $ref: `#/$defs/${target}` });
const LOOPS = {
  // Refers to itself without an end.
  round: { type: 'object', properties: { a: refers('a') }, $defs: { a: refers('b'), b: refers('a') } },
  // Describes values of any depth.
  tree: { type: 'object', properties: { child: { $ref: '#' } } },
};
LISTS.long = Array.from({ length: 180 }, (_, index) => `tool-${index}`);
LISTS.loops = ['plain', ...Object.entries(LOOPS).map(([name, inputSchema]) => ({ name, inputSchema }))];

const tools = (LISTS[mode] ?? ['work']).map((tool) => (typeof tool === 'string' ? { name: tool, inputSchema: schema } : tool));

function answer({ id, method, params }) {
  if (id === undefined) return;
  if (mode === 'mute') return;
  if (method === 'initialize') {
    const protocolVersion = mode === 'old' ? '2024-11-05' : params.protocolVersion;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } };
    return write({ id, result });
  }
  if (method === 'tools/list') return write({ id, result: { tools, ...(mode === 'pages' && { nextCursor: 'again' }) } });
  if (method !== 'tools/call') return write({ id, error: { code: -32601, message: 'no such method' } });
  call(id);
}

function call(id) {
  const result = { content: [{ type: 'text', text: 'first' }] };
  if (mode === 'twice') {
    write({ id, result });
    return write({ id, result: { content: [{ type: 'text', text: 'second' }] } });
  }
  if (mode === 'half') {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"cont`, () => process.exit(0));
    return undefined;
  }
  if (mode === 'silent-line') return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"cont`);
  if (mode === 'garbage') {
    process.stdout.write('not JSON\n[]\n[{"jsonrpc":"2.0","method":"x"}]\n42\n\u0000\n{"jsonrpc":"1.0","id":1}\n');
    write({ id: 'nobody-asked', result });
    write({ id: { an: 'object' }, result });
  }
  if (mode === 'huge') return write({ id, result: { content: [{ type: 'text', text: 'x'.repeat(10 * 1024 * 1024) }] } });
  if (mode === 'lies') return write({ id, result: { content: 'not a list' } });
  if (mode === 'flood') for (let n = 0; n < 20_000; n += 1) write({ method: 'notifications/tools/list_changed' });
  if (mode === 'answers') for (let n = 0; n < 20_000; n += 1) write({ id: 'nobody-asked', result });
  if (mode === 'blank') process.stdout.write('\n'.repeat(20_000));
  if (mode === 'asks') write({ id: 'q', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
  if (['hang', 'flood', 'answers', 'blank'].includes(mode ?? '')) return undefined;
  return mode === 'asks' ? undefined : write({ id, result });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (mode === 'asks' && message.id === 'q')
    write({ id: lastCall, result: { content: [{ type: 'text', text: `declined ${message.error.code}` }] } });
  if (message.method === 'tools/call') lastCall = message.id;
  if (message.method !== undefined) answer(message);
});
let lastCall;
