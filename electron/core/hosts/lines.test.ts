// Output of processes as lines.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readOutputs } from './lines.ts';

test('a character that two chunks share is read whole', async () => {
  const output = new PassThrough();
  const lines: string[] = [];
  const ended = readOutputs([output], (line) => lines.push(line));
  const bytes = Buffer.from('Grüße\n');
  output.write(bytes.subarray(0, 3));
  output.write(bytes.subarray(3));
  output.end();
  await ended();
  expect(lines).toEqual(['Grüße']);
});

test('the last line of a process that ends without a line end is read', async () => {
  const output = new PassThrough();
  const lines: string[] = [];
  const ended = readOutputs([output], (line) => lines.push(line));
  output.write('ready\nout of mem');
  output.end('ory');
  await ended();
  expect(lines).toEqual(['ready', 'out of memory']);
});
