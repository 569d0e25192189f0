import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { describeKey } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import { differenceOf, parseRefText, placesOf, refsOf, withDocument, withDrafted } from './what-if.ts';

const answer = (own: Partial<AccessCheckAnswer>): AccessCheckAnswer => ({
  verdict: 'deny',
  reason: '',
  message: 'blocked',
  rule: { kind: 'AgentPolicy', namespace: 'ops', name: 'small' },
  findings: [],
  agent: 'ops/billing',
  tool: 'ops/erp',
  ...own,
});

describe('effect of a change on a verdict', () => {
  test('can be another verdict', () =>
    expect(differenceOf(answer({}), answer({ verdict: 'allow' }))).toEqual({
      changes: true,
      text: 'The change turns Deny into Allow',
      more: [],
    }));
  test('can be another reason for the same verdict', () => {
    const difference = differenceOf(answer({}), answer({ message: 'no permission' }));
    expect(difference).toMatchObject({ changes: false, text: 'Still Deny, for another reason' });
  });
  test('can be absent', () => expect(differenceOf(answer({}), answer({})).text).toBe('The change leaves this verdict as it is'));
  test('includes the model and the budget, which are not part of the verdict', () => {
    const model = { ...answer({ verdict: 'allow' }), endpoint: 'ops/fast', model: 'fast-1' };
    const then = answer({ model: { ...model, verdict: 'deny' }, token_limit: { tokens: 900, rule: { kind: 'AgentPolicy' } } });
    expect(differenceOf(answer({ model }), then).more).toEqual([
      'The model would go from Allow to Deny.',
      'The limit of tokens in a run would go from none to 900.',
    ]);
  });
});

test('a reference is read as written, and only of kinds that affect a verdict', () => {
  const ref = { kind: 'ToolPermission', namespace: 'ops', name: 'erp' };
  expect(parseRefText(describeKey(ref))).toEqual(ref);
  expect(['Secret ops/key', 'ToolPermission erp', ''].map(parseRefText)).toEqual([undefined, undefined, undefined]);
});

test('documents are identified by name, those without a namespace in that of the page', () => {
  const documents = [
    { kind: 'Agent', metadata: { name: 'a' } },
    { kind: 'Agent', metadata: { name: 'b', namespace: 'other' } },
    { kind: 'Tool', metadata: {} },
  ];
  expect(refsOf(documents, 'ops').map(describeKey)).toEqual(['Agent ops/a', 'Agent other/b']);
  expect(withDrafted(['z', 'a'], 'Agent', { documents, home: 'ops' })).toEqual(['z', 'a']);
  expect(withDrafted(['z'], 'Agent', { documents, home: 'ops' })).toEqual(['z', 'a']);
});

test('a document is appended after the others', () => {
  expect(withDocument(' \n', 'kind: A\n')).toBe('kind: A\n');
  expect(withDocument('kind: A\n\n', 'kind: B\n')).toBe('kind: A\n---\nkind: B\n');
});

test('a refusal of the server is placed at its line in the document', () =>
  expect(placesOf([{ path: 'documents[1].spec.match_mode', message: 'is wrong' }])).toEqual([
    { path: 'spec.match_mode', message: 'is wrong', document: 1 },
  ]));
