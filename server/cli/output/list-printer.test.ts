// Lists that are longer than the arguments a call may have.
import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Invocation } from '../program/invocation.ts';
import { withScreens } from '../program/terminal.ts';
import { listPrinter } from './list-printer.ts';

it.each(['table', 'custom-columns=N:.n', 'yaml', 'jsonpath={.n}'])('prints a very long list as %s', (output) => {
  let written = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const terminal = withScreens({ stdin: Readable.from([]), stdout, stderr: stdout, env: {}, cwd: '/', onInterrupt: () => () => undefined });
  const print = listPrinter<{ readonly n: number }>(new Invocation(terminal, { output, color: false }), {
    columns: [{ title: 'N', cell: ({ n }) => String(n) }],
    drop: [],
    empty: '',
    live: true,
  });
  print(Array.from({ length: 150_000 }, (_, n) => ({ n })));
  expect(written.trimEnd().endsWith('149999')).toBe(true);
});
