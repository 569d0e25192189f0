import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TERMINAL_SOCKET_PATH } from '@svc/shared/api/terminals';
import { startServerProcess } from '../testing/server-process.ts';

const TOKEN = 'root-terminal-token-0000001';

test('svcctl in a terminal acts as the owner on the namespace of the page', { timeout: 60_000 }, async () => {
  const server = await startServerProcess({ args: ['--enable-terminal'], env: { SVC_API_TOKENS: `root:${TOKEN}:admin` } });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  try {
    const issued = await fetch(`${server.url}/trpc/terminals.ticket`, { method: 'POST', headers, body: '{"namespace":"team-a"}' });
    const { ticket } = ((await issued.json()) as { result: { data: { ticket: string } } }).result.data;
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${TERMINAL_SOCKET_PATH}`, { headers });
    const done = new Promise<string>((resolve) => {
      let text = '';
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) text += data.toString('utf8');
        if (/status=\d/.test(text)) resolve(text);
      });
    });
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'open', ticket, cols: 100, rows: 30 }));
    socket.send(JSON.stringify({ type: 'input', text: 'svcctl get agents; echo status=$?\n' }));
    const text = await done;
    expect(text).toContain('team-a');
    expect(text).toContain('status=0');
    socket.close();
  } finally {
    await server.dispose();
  }
});
