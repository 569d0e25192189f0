// Several sets of hooks for one kind: all run, in the order of their registration.
import { afterEach, expect, it } from 'vitest';
import { as, role, setupRegistry, type RegistryFixture } from '../testing/registry-fixture.ts';
import type { KindHooks } from './registry.ts';

let open: RegistryFixture | undefined;
afterEach(async () => {
  await open?.store.close();
  open = undefined;
});

const roleKey = (name: string) => ({ kind: 'AgentRole', namespace: 'default', name });

/** Notes each call under the name of the set. */
function noting(calls: string[], name: string): KindHooks {
  const note = (what: string) => async () => void calls.push(`${name} ${what}`);
  return {
    admit: async () => {
      calls.push(`${name} admit`);
      return { [name]: 'admitted' };
    },
    warn: async () => [`warning of ${name}`],
    onCreated: note('created'),
    onUpdated: note('updated'),
    onDeleted: note('deleted'),
    expandStatus: async ({ status }) => ({ shown: [...((status['shown'] as string[] | undefined) ?? []), name] }),
  };
}

it('hooks registered for one kind twice all run, in the order of registration', async () => {
  const calls: string[] = [];
  const registrations = [
    ['AgentRole', noting(calls, 'first')],
    ['Tool', noting(calls, 'other')],
    ['AgentRole', noting(calls, 'second')],
  ] as const;
  open = await setupRegistry({ hooks: registrations });
  const { warnings, resource } = await open.post(role('r'));
  expect(resource).toMatchObject({ metadata: { resourceVersion: '1' }, status: { first: 'admitted', second: 'admitted' } });
  await open.post(role('r', { description: 'changed' }));
  expect((await open.registry.get(as('reader'), roleKey('r'))).status).toMatchObject({ shown: ['first', 'second'] });
  await open.registry.putStatus(as('admin'), { ...roleKey('r'), ifMatch: '2', body: { status: { phase: 'Ready' } } });
  await open.registry.remove(as('writer'), roleKey('r'));
  const both = (what: string) => [`first ${what}`, `second ${what}`];
  expect(calls).toEqual([
    ...both('admit'),
    ...both('created'),
    ...both('admit'),
    ...both('updated'),
    ...both('updated'),
    ...both('deleted'),
  ]);
  expect(warnings).toEqual(['warning of first', 'warning of second']);
});

it('the throw of one set of hooks ends the write before the sets behind it', async () => {
  const calls: string[] = [];
  const refusing: KindHooks = { onCreated: () => Promise.reject(new Error('no')) };
  open = await setupRegistry({
    hooks: [
      ['AgentRole', refusing],
      ['AgentRole', noting(calls, 'second')],
    ],
  });
  await expect(open.post(role('r'))).rejects.toThrow('no');
  expect(calls).toEqual(['second admit']);
  expect(await open.store.getObject(roleKey('r'))).toBeUndefined();
});
