// Manifests in other forms than one document, against a real server.
import { expect, test } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import { LEXEMES_MAX } from '../../manifest/yaml.ts';

const { svcctl } = await startCliServer();

test('apply names the line of a problem in an item of a List', async () => {
  const stdin = `kind: List
items:
  - { kind: Agent, metadata: { name: a }, spec: { model_ref: m } }
  - { kind: Agent, metadata: { name: b }, spec: { model_reff: m } }
---
{ kind: Agent, metadata: { name: c }, spec: { model_ref: m } }
`;
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({
    code: 1,
    err: expect.stringContaining('stdin:4:63: spec.model_reff is not a field') as string,
  });
  expect(await svcctl(['apply', '-f', '-'], { stdin: stdin.replace('reff', 'ref') })).toMatchObject({
    code: 0,
    out: 'agent/a created\nagent/b created\nagent/c created\n',
  });
});

test('apply sends files of more YAML tokens than a request in YAML may have', async () => {
  const entries = 1_000;
  const input = `{${Array.from({ length: entries }, (_, i) => `k${i}: v`).join(',')}}`;
  const count = Math.ceil(LEXEMES_MAX / (4 * entries));
  const tasks = Array.from(
    { length: count },
    (_, i) => `{kind: Task, metadata: {name: t${i}}, spec: {system: s, mode: template, input: ${input}}}`,
  );
  const { code, out, err } = await svcctl(['apply', '-f', '-'], { stdin: tasks.join('\n---\n') });
  expect({ code, created: out.match(/created/g)?.length, err }).toEqual({ code: 0, created: count, err: '' });
});
