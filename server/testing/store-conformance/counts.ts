// Store conformance: counting by index, bounded, against lists of the same selection.
import { describe, expect, it } from 'vitest';
import type { CountQuery } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { makeObject, nextVersion, seed } from './fixture.ts';

const PHASES = ['Pending', 'Running', 'Succeeded'] as const;

/** 30 Tasks in two namespaces, of three phases and five tiers; every sixth is a template. */
function tasks() {
  return Array.from({ length: 30 }, (_, i) =>
    makeObject({
      namespace: i % 2 ? 'team-a' : 'team-b',
      name: `t-${String(i).padStart(2, '0')}`,
      // Three of each moment, in another order than the names.
      createdAt: `2026-03-01T10:00:${String(Math.floor(((i * 7) % 30) / 3)).padStart(2, '0')}.000Z`,
      labels: { tier: `${i % 5}`, ...(i % 10 === 0 && { hot: 'yes' }) },
      status: { phase: PHASES[i % 3] },
      spec: { mode: i % 6 === 0 ? 'template' : 'run', system: i === 7 ? 'rare' : 'busy' },
    }),
  );
}

const SELECTIONS: readonly Omit<CountQuery, 'kind' | 'max'>[] = [
  {},
  { namespace: 'team-a' },
  { namespace: 'nowhere' },
  { fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }] },
  { fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }], namespace: 'team-b' },
  { fields: [{ path: 'status.phase', op: 'neq', value: 'Running' }] },
  { fields: [{ path: 'spec.mode', op: 'eq', value: 'template' }] },
  { fields: [{ path: 'spec.mode', op: 'eq', value: 'run' }], namespace: 'team-a' },
  { fields: [{ path: 'spec.mode', op: 'neq', value: 'template' }] },
  { fields: [{ path: 'spec.mode', op: 'neq', value: 'run' }] },
  { labels: [{ op: 'in', key: 'tier', values: ['0', '3', '3'] }] },
  { labels: [{ op: 'exists', key: 'hot' }] },
  { labels: [{ op: 'eq', key: 'tier', value: '0' }], fields: [{ path: 'status.phase', op: 'eq', value: 'Pending' }], namespace: 'team-a' },
];

export function countConformance(subject: Subject): void {
  describe('counts', () => {
    it('are as long as the list of the same selection', async () => {
      await seed(subject.store, [...tasks(), makeObject({ kind: 'Agent' })]);
      for (const selection of SELECTIONS) {
        const listed = await subject.store.listObjects({ kind: 'Task', limit: 100, ...selection });
        const counted = await subject.store.countObjects({ kind: 'Task', max: 100, ...selection });
        expect({ selection, ...counted }).toEqual({ selection, count: listed.length, more: false });
      }
    });

    it('start after a place in the order of creation', async () => {
      await seed(subject.store, tasks());
      for (const selection of SELECTIONS) {
        const listed = await subject.store.listObjects({ kind: 'Task', limit: 100, order: 'createdAt', ...selection });
        for (const [index, after] of listed.entries()) {
          const counted = await subject.store.countObjects({ kind: 'Task', max: 100, after, ...selection });
          expect({ selection, index, ...counted }).toEqual({ selection, index, count: listed.length - index - 1, more: false });
        }
      }
      const [, , third] = await subject.store.listObjects({ kind: 'Task', limit: 3, order: 'createdAt' });
      expect(await subject.store.countObjects({ kind: 'Task', max: 5, ...(third && { after: third }) })).toEqual({ count: 5, more: true });
    });

    it('tell templates from runs, by either mode', async () => {
      await seed(subject.store, tasks());
      const count = async (op: 'eq' | 'neq', value: string) =>
        (await subject.store.countObjects({ kind: 'Task', max: 100, fields: [{ path: 'spec.mode', op, value }] })).count;
      expect([await count('eq', 'template'), await count('neq', 'run')]).toEqual([5, 5]);
      expect([await count('eq', 'run'), await count('neq', 'template')]).toEqual([25, 25]);
    });

    it('stop at their bound and report that there is more', async () => {
      await seed(subject.store, tasks());
      const count = (query: Partial<CountQuery>) => subject.store.countObjects({ kind: 'Task', max: 10, ...query });
      const running = { fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }] } as const;
      expect(await count({})).toEqual({ count: 10, more: true });
      expect(await count({ max: 30 })).toEqual({ count: 30, more: false });
      expect(await count(running)).toEqual({ count: 10, more: false });
      expect(await count({ ...running, max: 9 })).toEqual({ count: 9, more: true });
      expect(await count({ labels: [{ op: 'in', key: 'tier', values: ['0', '1', '2'] }] })).toEqual({ count: 10, more: true });
    });

    it('with several requirements look at no more objects than their bound', async () => {
      await seed(subject.store, tasks());
      const labels = [{ op: 'exists', key: 'hot' }] as const;
      expect(await subject.store.countObjects({ kind: 'Task', labels, max: 30 })).toEqual({ count: 3, more: false });
      const bounded = await subject.store.countObjects({ kind: 'Task', labels, max: 16 });
      expect(bounded.more).toBe(true);
      expect(bounded.count).toBeLessThanOrEqual(3);
    });

    it('look at the objects of the requirement that fewest meet', async () => {
      const failed = makeObject({ name: 't-failed', status: { phase: 'Failed' }, spec: { system: 'busy' } });
      await seed(subject.store, [...tasks(), failed]);
      const count = (system: string, phase: string) => {
        const fields = [
          { path: 'spec.system', op: 'eq', value: system },
          { path: 'status.phase', op: 'eq', value: phase },
        ] as const;
        return subject.store.countObjects({ kind: 'Task', fields, max: 5 });
      };
      expect(await count('busy', 'Failed')).toEqual({ count: 1, more: false });
      expect(await count('rare', 'Running')).toEqual({ count: 1, more: false });
    });

    it('follow writes', async () => {
      const [first] = tasks();
      await seed(subject.store, tasks());
      const running = { kind: 'Task', fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }], max: 100 } as const;
      await subject.store.transaction((tx) => tx.updateObject(nextVersion(first!, { status: { phase: 'Running' } })));
      expect(await subject.store.countObjects(running)).toEqual({ count: 11, more: false });
      await subject.store.transaction((tx) => tx.deleteObject(first!, first!.updatedAt));
      expect(await subject.store.countObjects(running)).toEqual({ count: 10, more: false });
    });

    it('refuse a field without an index', async () => {
      const fields = [{ path: 'spec.input', op: 'eq', value: 'x' }] as const;
      await expect(subject.store.countObjects({ kind: 'Task', fields, max: 10 })).rejects.toMatchObject({ code: 'invalid' });
    });
  });
}
