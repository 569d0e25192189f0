// Documents of an import, and the server's answers about them.
import { describe, expect, test } from 'vitest';
import { refusedBy, verdictsOf } from './check-documents.ts';
import { looksLikeDocuments } from '../model/sources.ts';
import { contentLine, documentsOf, editableText, keepsCount, maskedBody, ownProblems, placeProblem, withText } from './import-documents.ts';

const TEXT = `kind: Agent
metadata: { name: a, namespace: team }
spec:
  model_ref: m
---
kind: Nonsense
metadata: { name: b }
---
metadata: { name: c }
`;

test('each document of each source is separate, with its start line', () => {
  const documents = documentsOf([
    { name: 'one.yaml', text: TEXT },
    { name: 'two.json', text: '{"kind":"Tool","metadata":{"name":"t"},"spec":{}}' },
  ]);
  expect(documents.map(({ source, kind, namespace, name }) => [source, kind, namespace, name])).toEqual([
    ['one.yaml', 'Agent', 'team', 'a'],
    ['one.yaml', 'Nonsense', '', 'b'],
    ['one.yaml', '', '', 'c'],
    ['two.json', 'Tool', '', 't'],
  ]);
});

test.each([0, 1, 2])('document %i is edited in its place, and the others stay', (at) => {
  const sources = [
    { name: 'zero.yaml', text: 'kind: Tool\nmetadata: { name: t }\n' },
    { name: 'one.yaml', text: `# A note\n---\n${TEXT}` },
  ];
  const documents = documentsOf(sources);
  const edited = documents[at + 1];
  if (!edited) throw new Error('there are three documents');
  expect(editableText(edited)).toMatch(/^(?:# A note\n---\n)?(?:kind|metadata)/);
  expect(withText(sources, edited, editableText(edited))).toEqual(sources);
  const after = documentsOf(withText(sources, edited, 'kind: Agent\nmetadata: { name: edited }\n'));
  expect(after.map(({ name }) => name)).toEqual(documents.map(({ name }, index) => (index === at + 1 ? 'edited' : name)));
});

test('an edit that adds or removes a document changes the count', () => {
  const [document] = documentsOf([{ name: 'one.yaml', text: TEXT }]);
  if (!document) throw new Error('there are three documents');
  expect(['kind: Agent', 'kind: [', 'kind: Agent\n---\nkind: Tool', ''].map((text) => keepsCount(document, text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('an edit of a document leaves an equal document unchanged', () => {
  const sources = [{ name: 'twice.yaml', text: 'kind: Tool\n---\nkind: Tool\n' }];
  const [, second] = documentsOf(sources);
  if (!second) throw new Error('there are two documents');
  expect(withText(sources, second, 'kind: Agent')[0]?.text).toBe('kind: Tool\n---\nkind: Agent\n');
});

test('many blank characters around and within documents take no time', () => {
  const blank = ' '.repeat(200_000);
  const text = `kind: Tool\nmetadata: { name: t }\nspec: { description: "a${blank}b" }\n`;
  const documents = documentsOf([{ name: 'one.yaml', text }]);
  const start = process.cpuUsage();
  expect(documents.map(editableText)).toEqual([text.trimEnd()]);
  expect(looksLikeDocuments(`a\n${'\n'.repeat(200_000)}b`)).toBe(false);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5000);
});

test('problems of the items of a list are placed by one parse', () => {
  const items = ['a', 'b'].map((name) => ({ kind: 'Agent', metadata: { name }, spec: {} }));
  const documents = documentsOf([{ name: 'list.json', text: JSON.stringify({ items }) }]);
  expect(placeProblem({ path: 'documents[1].spec', message: '' }, documents)?.id).toBe('0.0.1');
  expect(new Set(documents.map(({ parsed }) => parsed())).size).toBe(1);
});

test('separators and comments do not count as the start of a document', () => {
  const documents = documentsOf([{ name: 'one.yaml', text: `# A note\n\n${TEXT}` }]);
  expect(documents.map(contentLine)).toEqual([3, 8, 11]);
});

test('a list of objects counts as its items', () => {
  const text = '{"items":[{"kind":"Tool","metadata":{"name":"x"}},{"kind":"Tool","metadata":{"name":"y"}}]}';
  expect(documentsOf([{ name: 'list.json', text }]).map(({ name }) => name)).toEqual(['x', 'y']);
});

test('fields that the server wrote into an exported object are left out', () => {
  const text = 'kind: Tool\nmetadata: { name: x, uid: "1", resourceVersion: "7", labels: { a: b } }\nspec: {}\nstatus: { phase: Ready }\n';
  const [document] = documentsOf([{ name: 'x', text }]);
  expect(document?.body).toEqual({ kind: 'Tool', metadata: { name: 'x', labels: { a: 'b' } }, spec: {} });
});

describe('problems', () => {
  const documents = documentsOf([{ name: 'one.yaml', text: TEXT }]);

  test('without need of a server are found here', () => {
    expect(documents.map((each) => ownProblems(each).map(({ path }) => path))).toEqual([[], ['kind'], ['kind']]);
  });

  test('from the server are placed on their line', () => {
    const detail = { path: 'documents[0].spec.model_ref', message: 'must not be m' };
    expect(placeProblem(detail, documents)).toEqual({
      id: '0.0.0',
      problem: { path: 'spec.model_ref', message: 'must not be m', line: 4 },
    });
    expect(placeProblem({ path: 'documents[9].spec', message: '' }, documents)).toBeUndefined();
  });

  test('name another document by its place in the sources instead of its number', () => {
    const detail = { path: 'documents[1].metadata.name', message: 'names Agent team/a, which documents[0] already defines' };
    expect(placeProblem(detail, documents)?.problem.message).toBe('names Agent team/a, which one.yaml, line 1, already defines');
  });

  test('without details belong to the document that the message names', () => {
    const problem = { code: 'conflict', message: 'documents[1]: it is taken', details: [], retryable: false } as const;
    expect([...refusedBy(problem, documents).keys()]).toEqual(['0.1.0']);
    expect(refusedBy({ ...problem, message: 'no' }, documents).size).toBe(0);
  });
});

test('verdicts are matched by object name, not by order', () => {
  const documents = documentsOf([
    { name: 'x', text: 'kind: Tool\nmetadata: { name: t }\n---\nkind: Secret\nmetadata: { name: s, namespace: other }\n' },
  ]);
  const answer = [
    { kind: 'Secret', namespace: 'other', name: 's', action: 'created' as const, resourceVersion: '1' },
    { kind: 'Tool', namespace: 'home', name: 't', action: 'unchanged' as const, resourceVersion: '4' },
  ];
  const verdicts = verdictsOf(answer, documents, 'home');
  expect(documents.map(({ id }) => verdicts.get(id)?.state)).toEqual(['unchanged', 'created']);
});

test('values of Secrets are hidden, their keys are shown', () => {
  const body = { kind: 'Secret', spec: { stringData: { password: 'p' }, data: { token: 'dA==' } } };
  expect(maskedBody(body)).toEqual({ kind: 'Secret', spec: { stringData: { password: '***' }, data: { token: '***' } } });
  expect(maskedBody({ kind: 'Tool', spec: { data: 'x' } })).toEqual({ kind: 'Tool', spec: { data: 'x' } });
});
