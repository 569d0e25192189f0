import { expect, test } from 'vitest';
import { readTraceFile } from './read-trace-file.ts';
import { traceFixture } from '../../../testing/trace-fixture.ts';
import { writeTraceFile } from './trace-file.ts';

const file = {
  exported_at: '2026-01-05T10:00:00.000Z',
  task: { namespace: 'ops', name: 'nightly' },
  complete: true,
  entries: traceFixture({ entries: 60 }),
};
const written = JSON.parse(writeTraceFile(file)) as Record<string, unknown>;

test('a written file is read back unchanged', () =>
  expect(readTraceFile(writeTraceFile(file))).resolves.toEqual({ format: 'svc-trace', version: 1, ...file }));

test('reading a long file reports its progress', async () => {
  const entries = Array.from({ length: 5_000 }, () => file.entries[0]);
  const fractions: number[] = [];
  const read = await readTraceFile(JSON.stringify({ ...written, entries }), (part) => fractions.push(part));
  expect([read.entries.length, fractions]).toEqual([5_000, [0.4, 0.8]]);
});

test('fields of a newer server are kept', async () => {
  const entries = [{ timestamp: '2026-01-05T10:00:00.000Z', type: 'task_start', novelty: 1 }];
  expect((await readTraceFile(JSON.stringify({ ...written, entries }))).entries).toEqual(entries);
});

test.each<[string, unknown, RegExp]>([
  ['text that is no JSON', 'nonsense{', /not JSON/],
  ['a list', '[]', /contains no trace/],
  ['another format', JSON.stringify({ ...written, format: 'otlp' }), /format is "otlp"/],
  ['a newer version', JSON.stringify({ ...written, version: 9 }), /version 9 .* newer one/],
  ['no task', JSON.stringify({ ...written, task: undefined }), /task\.namespace/],
  ['no entries', JSON.stringify({ ...written, entries: {} }), /"entries"/],
  ['an entry of no type', JSON.stringify({ ...written, entries: [{ timestamp: '2026-01-05T10:00:00.000Z' }] }), /Entry 1 .*type/],
  ['an entry at no moment', JSON.stringify({ ...written, entries: [{ timestamp: 'noon', type: 'task_start' }] }), /Entry 1 has no moment/],
])('%s is refused with the reason', (_what, text, reason) => expect(readTraceFile(text as string)).rejects.toThrow(reason));
