// The kept end of a program's standard error, and errors of a program that has ended.
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../testing/collect-garbage.ts';
import { STDERR_TAIL_BYTES } from '../limits.ts';
import { StdioTransport } from './stdio-transport.ts';

it.each([
  ['all of it', ['no line ends'], 'no line ends'],
  ['whole lines', ['x'.repeat(STDERR_TAIL_BYTES), '\nlast\n', 'words'], 'last\nwords'],
  ['whole lines, as one chunk brings them', [`${'secret '.repeat(STDERR_TAIL_BYTES)}\nlast`], 'last'],
  ['nothing of one endless line', ['x'.repeat(STDERR_TAIL_BYTES), 'more'], ''],
])('is %s', async (_, chunks, expected) => {
  const transport = new StdioTransport({
    what: 'McpServer "default/s"',
    program: {
      prepare: () => Promise.resolve(),
      start({ stderr }) {
        for (const chunk of chunks) stderr(Buffer.from(chunk));
        const kill = () => Promise.resolve();
        return Promise.resolve({ input: new PassThrough(), ended: new Promise<string>(() => undefined), terminate: () => undefined, kill });
      },
    },
  });
  await transport.start();
  expect(transport.stderrTail()).toBe(expected);
});

it('reports how a program ended that closed its input first', async () => {
  const input = new PassThrough();
  let end: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const kill = () => Promise.resolve();
  const transport = new StdioTransport({
    what: 'McpServer "default/s"',
    program: { prepare: () => Promise.resolve(), start: () => Promise.resolve({ input, ended, terminate: () => undefined, kill }) },
  });
  await transport.start();
  input.destroy();
  const sent = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  end('with exit code 3');
  await expect(sent).rejects.toThrow('McpServer "default/s" ended with exit code 3');
});

it('keeps few pieces of a line that arrives byte by byte', async () => {
  let write: (bytes: Buffer) => void = () => undefined;
  const transport = new StdioTransport({
    what: 'McpServer "default/s"',
    program: {
      prepare: () => Promise.resolve(),
      start({ stdout }) {
        write = stdout;
        const [input, kill] = [new PassThrough(), () => Promise.resolve()];
        return Promise.resolve({ input, ended: new Promise<string>(() => undefined), terminate: () => undefined, kill });
      },
    },
  });
  const messages: unknown[] = [];
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(20_000) } };
  const pieces: WeakRef<Buffer>[] = [];
  for (const byte of Buffer.from(JSON.stringify(message))) {
    const piece = Buffer.from([byte]);
    pieces.push(new WeakRef(piece));
    write(piece);
  }
  await setImmediate();
  collectGarbage();
  expect(pieces.filter((piece) => piece.deref()).length).toBeLessThan(2_000);
  write(Buffer.from('\n'));
  expect(messages).toEqual([message]);
});
