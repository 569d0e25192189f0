import { kindByName, kinds } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { checkText, placeErrors, schemaOf } from './check-text.ts';
import { parseYaml } from './yaml-paths.ts';

const options = { known: { kinds, kindByName }, namespace: 'default' };
const head = (kind: string) => `apiVersion: svc.dev/v1\nkind: ${kind}\nmetadata:\n  name: x\n`;

function problemsOf(text: string, kind?: string) {
  const { problems } = checkText(text, { ...options, kind });
  return problems.map(({ from, to, message }) => `${text.slice(from, to)} » ${message}`);
}

test('a valid text has no problems and has values for the server', () => {
  const check = checkText(`${head('Agent')}spec:\n  model_ref: m\n`, options);
  expect(check.problems).toEqual([]);
  expect(check.values).toEqual([{ apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: 'x' }, spec: { model_ref: 'm' } }]);
});

test('errors of the rules are placed in the text', () => {
  const text = `${head('TaskSchedule')}spec:\n  task_ref: t\n  schedule: never\n  concurrency_policy: forbit\n`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^never » spec\.schedule /),
    expect.stringMatching(/^forbit » spec\.concurrency_policy must be one of forbid/),
  ]);
});

test('an unknown key suggests the nearest key, and can be replaced by it', () => {
  const text = `${head('Agent')}spec:\n  modelref: m\n`;
  const unknown = checkText(text, options).problems.find(({ path }) => path === 'spec.modelref');
  expect(unknown).toMatchObject({ message: expect.stringContaining('did you mean "model_ref"?') });
  const { fix } = unknown ?? {};
  expect(fix && text.slice(0, fix.change.from) + fix.change.insert + text.slice(fix.change.to)).toContain('  model_ref: m');
});

test('an error at an unknown key marks the key, whatever the message is', () => {
  const text = `${head('Agent')}spec:\n  modelref: m\n`;
  const [document] = parseYaml(text);
  if (!document) throw new Error('no document');
  const [problem] = placeErrors({ document, ...schemaOf(document, options) }, [{ path: 'spec.modelref', message: 'est inconnu' }], {
    source: 'server',
    severity: 'error',
  });
  expect(problem && text.slice(problem.from, problem.to)).toBe('modelref');
});

test('a wrong value suggests the nearest valid one', () => {
  const text = `${head('Tool')}spec:\n  type: htpp\n  endpoint: https://a.test\n`;
  expect(checkText(text, options).problems[0]?.fix?.change.insert).toBe('http');
});

test('in a list the entry is marked, and a missing required field marks its parent', () => {
  expect(problemsOf(`${head('AgentSystem')}spec:\n  agents: [a, 7]\n`)).toEqual([
    expect.stringMatching(/^7 » spec\.agents\[1\] must be a string/),
  ]);
  expect(problemsOf(`${head('Agent')}spec:\n  prompt: hi\n`)).toEqual(['spec » spec.model_ref is required']);
});

test('the envelope is checked like on the server', () => {
  expect(problemsOf('kind: Agent\nmetadata:\n  name: "a b"\n  labels: {x: 1}\n  nane: y\nspec:\n  model_ref: m\nextra: 1\n')).toEqual([
    expect.stringMatching(/^kind » apiVersion is required/),
    expect.stringMatching(/^extra » extra is not a field/),
    expect.stringMatching(/^"a b" » metadata\.name must be/),
    expect.stringMatching(/^1 » metadata\.labels\.x must be a string/),
    expect.stringMatching(/^nane » metadata\.nane is not a field of metadata; did you mean "name"\?/),
  ]);
  expect(problemsOf(`${head('Agnet')}spec: {}\n`)[0]).toMatch(/^Agnet » kind "Agnet" is not a kind; did you mean "Agent"\?/);
  expect(problemsOf(`${head('Tool')}spec: {}\n`, 'Agent')[0]).toMatch(/^Tool » kind must be Agent here/);
});

test('each document has its own kind and its own errors', () => {
  const text = `${head('Agent')}spec:\n  model_ref: m\n---\n${head('Task')}spec:\n  priority: 1\n---\na: [\n`;
  const { problems, values } = checkText(text, options);
  expect(problems.map(({ path, source }) => `${source} ${path}`)).toEqual(['rules spec.system', 'syntax ']);
  expect(values).toBeUndefined();
});

test.each(['', '\n', '# nothing yet\n', '---\n---\n'])('%j has no problems', (text) => {
  expect(checkText(text, options).problems).toEqual([]);
});

test.each(['a: 1\na: 2\n', 'a: [1\n', '\tb: 1\n', 'a: *b\n', '- 1\n', 'x\n', 'a: {b: 1\n', '"', '&', 'a: !!x y'])(
  '%j is wrong, and said to be',
  (text) => {
    const { problems } = checkText(text, options);
    expect(problems.length).toBeGreaterThan(0);
    for (const { from, to } of problems) expect(from >= 0 && to >= from && to <= text.length).toBe(true);
  },
);
