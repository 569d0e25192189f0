// Store conformance: finding objects by name, and reading their indexed fields.
import { describe, expect, it } from 'vitest';
import { NEWEST_NAMES } from '../../store/name-search.ts';
import type { NameQuery } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, seed } from './fixture.ts';

async function find(subject: Subject, query: Partial<NameQuery>): Promise<string[]> {
  const found = await subject.store.findNames({ kinds: ['Agent', 'Task'], match: 'prefix', text: 'plan', limit: 10, ...query });
  return found.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
}

const OBJECTS = [
  { kind: 'Task', namespace: 'team-b', name: 'plan' },
  { kind: 'Task', namespace: 'team-a', name: 'planner' },
  { kind: 'Task', namespace: 'team-a', name: 'replan' },
  { kind: 'Agent', namespace: 'team-a', name: 'my.plan' },
  { kind: 'Agent', namespace: 'team-b', name: 'Planned' },
  { kind: 'Agent', namespace: 'team-b', name: 'plan' },
  { kind: 'Agent', namespace: 'team-b', name: 'plan-a' },
  { kind: 'Tool', namespace: 'team-a', name: 'plan' },
];

export function nameConformance(subject: Subject): void {
  describe('names', () => {
    it('are found whole and by their beginning, in the kinds requested, in that order', async () => {
      await seed(subject.store, OBJECTS.map(makeObject));
      expect(await find(subject, { match: 'exact' })).toEqual(['Agent team-b/plan', 'Task team-b/plan']);
      expect(await find(subject, { kinds: ['Task', 'Agent'], text: 'Plan' })).toEqual([
        'Task team-b/plan',
        'Task team-a/planner',
        'Agent team-b/plan',
        'Agent team-b/plan-a',
        'Agent team-b/Planned',
      ]);
      expect(await find(subject, { namespace: 'team-a' })).toEqual(['Task team-a/planner']);
      expect(await find(subject, { namespace: 'nowhere' })).toEqual([]);
      expect(await find(subject, { limit: 1 })).toEqual(['Agent team-b/plan', 'Task team-b/plan']);
      expect(await find(subject, { text: '', kinds: ['Tool'] })).toEqual(['Tool team-a/plan']);
    });

    it('are found by the beginning of a word and by a part, in any case', async () => {
      await seed(subject.store, OBJECTS.map(makeObject));
      expect(await find(subject, { match: 'word', text: 'PLAN', kinds: ['Agent'] })).toEqual(
        expect.arrayContaining(['Agent team-a/my.plan', 'Agent team-b/Planned', 'Agent team-b/plan', 'Agent team-b/plan-a']),
      );
      expect(await find(subject, { match: 'word', kinds: ['Task'], namespace: 'team-a' })).toEqual(['Task team-a/planner']);
      expect(await find(subject, { match: 'part', kinds: ['Task'], namespace: 'team-a' })).toEqual(
        expect.arrayContaining(['Task team-a/planner', 'Task team-a/replan']),
      );
      expect(await find(subject, { match: 'part', text: 'Y.P' })).toEqual(['Agent team-a/my.plan']);
      // Characters that other searches would take for a wildcard.
      expect(await find(subject, { match: 'part', text: '%' })).toEqual([]);
      expect(await find(subject, { match: 'part', text: 'plan_a' })).toEqual([]);
    });

    it('are looked into among the newest of a kind only', async () => {
      const newer = Array.from({ length: NEWEST_NAMES }, (_, i) => makeObject({ name: `n-${i}`, createdAt: at(1) }));
      await seed(subject.store, [makeObject({ name: 'my-oldest' }), ...newer]);
      expect(await find(subject, { match: 'part', text: 'oldest' })).toEqual([]);
      expect(await find(subject, { match: 'word', text: 'oldest', namespace: 'default' })).toEqual([]);
      expect(await find(subject, { match: 'prefix', text: 'my-old' })).toEqual(['Task default/my-oldest']);
      await subject.store.transaction((tx) => tx.deleteObject({ kind: 'Task', namespace: 'default', name: 'n-7' }, at(2)));
      expect(await find(subject, { match: 'part', text: 'oldest' })).toEqual(['Task default/my-oldest']);
    });

    it('lead to the indexed fields of what exists, in the order requested', async () => {
      const [first, second] = [makeObject({ name: 'a' }), makeObject({ name: 'b', status: { phase: 'Running' }, spec: {} })];
      await seed(subject.store, [first, second]);
      const absent = { kind: 'Task', namespace: 'default', name: 'c' };
      expect(await subject.store.readIndexedFields([second, absent, first, second])).toEqual([
        { 'status.phase': 'Running' },
        undefined,
        { 'status.phase': 'Pending', 'spec.system': 'pipeline' },
        { 'status.phase': 'Running' },
      ]);
      expect(await subject.store.readIndexedFields([])).toEqual([]);
    });
  });
}
