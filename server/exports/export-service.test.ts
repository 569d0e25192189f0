// The export over real HTTP: what is in it, what is not, and its way back through apply.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { systemClock } from '../clock.ts';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { createExportService } from './export-service.ts';

let from: HttpFixture;
let to: HttpFixture;
beforeAll(async () => {
  [from, to] = await Promise.all([startHttpFixture(), startHttpFixture()]);
});
afterAll(() => Promise.all([from.close(), to.close()]));

const YAML = { 'content-type': 'application/yaml' };
const apply = (http: HttpFixture, body: string) =>
  http.send('POST', '/v1/apply?namespace=default&fieldValidation=Strict', { body, headers: YAML });
const textOf = async (http: HttpFixture, namespace = '*') => {
  const answer = await fetch(`${http.url}/v1/export?namespace=${encodeURIComponent(namespace)}`);
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="export.yaml"']);
  return answer.text();
};
const namesIn = (text: string) =>
  parseAllDocuments(text).flatMap((document) => {
    const { kind, metadata } = (document.toJS() ?? {}) as { kind?: string; metadata?: { namespace: string; name: string } };
    return kind === undefined ? [] : [`${kind} ${metadata?.namespace}/${metadata?.name}`];
  });
const withoutHead = (text: string) => text.slice(text.indexOf('---\n'));

const OBJECTS = `
kind: Secret
metadata: { name: openai-key, namespace: team }
spec: { stringData: { value: sk-never-exported, "two\\nlines": x } }
---
kind: ModelEndpoint
metadata: { name: openai, namespace: team, labels: { tier: gold }, annotations: { note: "# no comment" } }
spec: { provider: openai, auth: { secretRef: openai-key } }
---
kind: Agent
metadata: { name: writer, namespace: team }
spec: { model_ref: openai, prompt: "a: b\\n---\\nkind: Agent\\n  漢字 \\u2028 end" }
---
kind: AgentSystem
metadata: { name: desk, namespace: team }
spec: { agents: [writer] }
---
kind: Task
metadata: { name: nightly, namespace: team }
spec: { system: desk, mode: template }
---
kind: Task
metadata: { name: ran, namespace: team }
spec: { system: desk }
---
kind: Session
metadata: { name: talk, namespace: team }
spec: { system: desk }
---
kind: Memory
metadata: { name: notes, namespace: other }
spec: {}
`;

test('an export holds what was declared in all namespaces, in an order that can be applied', async () => {
  const applied = await apply(from, OBJECTS);
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const text = await textOf(from);
  expect(namesIn(text)).toEqual([
    'ModelEndpoint team/openai',
    'Memory other/notes',
    'Agent team/writer',
    'AgentSystem team/desk',
    'Task team/nightly',
  ]);
  expect(text).not.toContain('status');
});

test('a Secret is named with its keys in a comment, without its values', async () => {
  const text = await textOf(from);
  expect(text).toContain('#   team/openai-key: ["two\\nlines","value"]');
  for (const value of ['sk-never-exported', Buffer.from('sk-never-exported').toString('base64'), '***']) expect(text).not.toContain(value);
});

test('an export of one namespace has no other', async () => {
  const text = await textOf(from, 'other');
  expect(namesIn(text)).toEqual(['Memory other/notes']);
  expect(text).toMatch(/^# Export of namespace other by version .*: 1 object\.$/m);
});

test('an export applied to an empty server and exported again is the same', async () => {
  const text = await textOf(from);
  const applied = await apply(to, text);
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  expect(withoutHead(await textOf(to))).toBe(withoutHead(text));
  const again = await apply(from, text);
  expect(again.body.results.map(({ action }: { action: string }) => action)).toEqual(Array.from({ length: 5 }, () => 'unchanged'));
});

test('an export of an empty server has a comment only, and apply refuses it as a file without documents', async () => {
  const text = await textOf(from, 'empty');
  expect(text).toMatch(/^# Export of namespace empty by version \S+ at \S+: 0 objects\.\n/);
  expect(namesIn(text)).toEqual([]);
});

test('other requests get in between the objects of an export', async () => {
  const metadata = { namespace: 'default', labels: {}, annotations: {} };
  const agents = Array.from({ length: 200 }, (_, n) => ({ kind: 'Agent', metadata: { ...metadata, name: `a${n}` }, spec: {} }));
  const list = (_context: unknown, { kind }: { kind: string }) => Promise.resolve({ items: kind === 'Agent' ? agents : [] });
  const exports = createExportService({ registry: { list } as never, clock: systemClock, version: '0' });
  let turns = 0;
  let isWritten = false;
  const count = () => {
    turns += 1;
    if (!isWritten) setImmediate(count);
  };
  setImmediate(count);
  await exports.write(undefined as never, undefined);
  isWritten = true;
  expect(turns).toBeGreaterThanOrEqual(agents.length);
});
