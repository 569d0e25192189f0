import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import { updateStatus } from './own-writes.ts';
import { racing } from '../store/write-race.ts';
import { transact } from './transact.ts';

let fixture: RegistryFixture;
const key = { kind: 'AgentRole', namespace: 'default', name: 'r' };
const lostRace = () => racing(Promise.reject(new ServiceError('conflict', 'someone was faster')));

afterEach(async () => {
  await fixture.store.close();
});

describe('transact', () => {
  it('runs the work again after a lost race', async () => {
    fixture = await setupRegistry();
    let rounds = 0;
    const outcome = await transact(fixture.store, {}, async () => {
      if (++rounds < 3) await lostRace();
      return 'done';
    });
    expect([outcome, rounds]).toEqual(['done', 3]);
  });

  it('throws the conflict when it loses too many races', async () => {
    fixture = await setupRegistry();
    await expect(transact(fixture.store, {}, lostRace)).rejects.toMatchObject({ code: 'conflict', message: 'someone was faster' });
  });

  it('does not repeat work that fails for another reason', async () => {
    fixture = await setupRegistry();
    let rounds = 0;
    const refused = transact(fixture.store, { dryRun: true }, async () => {
      rounds++;
      throw new ServiceError('conflict', 'stale');
    });
    await expect(refused).rejects.toMatchObject({ message: 'stale' });
    expect(rounds).toBe(1);
  });
});

describe('updateStatus', () => {
  const update = (change: (status: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>, uid?: string) =>
    fixture.store.transaction((tx) =>
      updateStatus(tx, { key, clock: fixture.clock, by: 'ann', change, ...(uid !== undefined && { uid }) }),
    );

  it('raises the version and leaves spec and generation', async () => {
    fixture = await setupRegistry();
    await fixture.post(role('r'));
    fixture.clock.advance(1000);
    const updated = await update((status) => ({ ...status, lastError: 'x' }));
    expect(updated).toMatchObject({ resourceVersion: 2, generation: 1, status: { phase: 'Pending', lastError: 'x' } });
    expect(updated?.updatedAt).toBe(new Date(fixture.clock.now()).toISOString());
    expect(await fixture.store.getObject(key)).toEqual(updated);
  });

  it('writes nothing when the status stays the same', async () => {
    fixture = await setupRegistry();
    await fixture.post(role('r'));
    expect((await update((status) => ({ ...status })))?.resourceVersion).toBe(1);
    expect((await fixture.store.changeBounds()).head).toBe(1);
  });

  it('leaves alone a deleted object and a new one under the same name', async () => {
    fixture = await setupRegistry();
    expect(await update(() => ({ phase: 'Ready' }))).toBeUndefined();
    await fixture.post(role('r'));
    expect(await update(() => ({ phase: 'Ready' }), 'another-uid')).toBeUndefined();
    expect((await update(() => ({ phase: 'Ready' }), 'uid-1'))?.status).toEqual({ phase: 'Ready' });
  });
});
