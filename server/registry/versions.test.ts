// Versions of specs: each replaced spec is kept with its write, within limits, and restored by an ordinary update.
import { kinds } from '@svc/shared/kinds';
import { afterEach, describe, expect, it } from 'vitest';
import { as, role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import type { RegistryOptions } from './create-registry.ts';
import { VERSIONS_MAX_BYTES } from './versions.ts';

let open: RegistryFixture | undefined;

afterEach(async () => {
  await open?.store.close();
  open = undefined;
});

const KEY = { kind: 'AgentRole', namespace: 'default', name: 'r' };
const READER = as('reader');

async function setup(overrides: Partial<RegistryOptions> = {}): Promise<RegistryFixture> {
  open = await setupRegistry(overrides);
  return open;
}

/** An AgentRole whose description was each of the texts in turn, a second apart. */
async function roleWith(descriptions: readonly string[], overrides: Partial<RegistryOptions> = {}): Promise<RegistryFixture> {
  const fixture = await setup(overrides);
  for (const description of descriptions) {
    await fixture.post(role('r', { description }));
    fixture.clock.advance(1000);
  }
  return fixture;
}

const generations = async ({ registry }: RegistryFixture) =>
  (await registry.versions(READER, KEY, { limit: 100 })).items.map(({ generation }) => generation);

describe('versions', () => {
  it('list the current spec and each replaced one, with writer and time', async () => {
    const fixture = await roleWith(['first', 'second']);
    const { registry, clock } = fixture;
    const start = clock.now() - 2000;
    const time = (ms: number) => new Date(start + ms).toISOString();
    expect(await registry.versions(READER, KEY, { limit: 100 })).toEqual({
      items: [
        { generation: 2, createdAt: time(1000), createdBy: 'the-admin' },
        { generation: 1, createdAt: time(0), createdBy: 'the-admin', replacedAt: time(1000) },
      ],
    });
    expect((await registry.version(READER, KEY, 1)).spec).toEqual({ description: 'first', permissions: [] });
    expect((await registry.version(READER, KEY, 2)).spec).toEqual({ description: 'second', permissions: [] });
  });

  it('keep the time of the write of a spec, whatever was written to the object since', async () => {
    const { registry, clock, post } = await roleWith(['first', 'second']);
    const written = (await registry.versions(READER, KEY, { limit: 1 })).items[0]?.createdAt;
    await post(role('r', { description: 'second', labels: { team: 'a' } }));
    clock.advance(60_000);
    await post(role('r', { description: 'third' }));
    expect((await registry.version(READER, KEY, 2)).createdAt).toBe(written);
  });

  it('are not made by writes of labels, statuses or the same spec', async () => {
    const fixture = await roleWith(['first', 'first']);
    await fixture.post(role('r', { labels: { team: 'a' } }));
    expect(await generations(fixture)).toEqual([1]);
  });

  it('are listed in pages', async () => {
    const { registry } = await roleWith(['a', 'b', 'c', 'd', 'e']);
    const pages: number[][] = [];
    let after: string | undefined;
    do {
      const page = await registry.versions(READER, KEY, { limit: 2, ...(after !== undefined && { after }) });
      pages.push(page.items.map(({ generation }) => generation));
      after = page.continue;
    } while (after !== undefined);
    expect(pages).toEqual([[5, 4], [3, 2], [1]]);
    await expect(registry.versions(READER, KEY, { limit: 2, after: 'x' })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('stay up to the number of the server, and not at all with 0', async () => {
    const few = await roleWith(['a', 'b', 'c', 'd'], { versionsMax: 2 });
    expect(await generations(few)).toEqual([4, 3, 2]);
    await expect(few.registry.version(READER, KEY, 1)).rejects.toMatchObject({
      code: 'not_found',
      message: 'AgentRole default/r has no version 1; list its versions to see those that are kept',
    });
    await few.store.close();
    expect(await generations(await roleWith(['a', 'b'], { versionsMax: 0 }))).toEqual([2]);
  });

  it('stay up to their size in total', async () => {
    const text = (letter: string) => letter.repeat(1_000_000);
    const fixture = await roleWith([...'abcdefghijklmnopqrs'].map(text));
    const fitting = Math.floor(VERSIONS_MAX_BYTES / JSON.stringify({ description: text('a'), permissions: [] }).length);
    expect(await generations(fixture)).toEqual(Array.from({ length: fitting + 1 }, (_, index) => 19 - index));
    expect(fitting).toBeLessThan(18);
  });

  it('go with their object, and a new object of its name has none of them', async () => {
    const fixture = await roleWith(['first', 'second']);
    const { uid } = (await fixture.registry.get(READER, KEY)).metadata;
    await fixture.registry.remove(as('admin'), KEY);
    await expect(fixture.registry.versions(READER, KEY, { limit: 1 })).rejects.toMatchObject({ code: 'not_found' });
    expect(await fixture.store.listVersions(uid, { before: 100, limit: 10 })).toEqual([]);
    await fixture.post(role('r'));
    expect(await generations(fixture)).toEqual([1]);
  });

  it('are not kept of a write that is refused or a dry run', async () => {
    const fixture = await roleWith(['first']);
    const { registry } = fixture;
    const body = { ...role('r', { description: 'second' }), metadata: { name: 'r', resourceVersion: '9' } };
    await expect(registry.put(as('admin'), { ...KEY, body })).rejects.toMatchObject({ code: 'conflict' });
    await registry.post(as('admin'), { ...KEY, body: role('r', { description: 'second' }), dryRun: true });
    expect(await generations(fixture)).toEqual([1]);
  });

  it('are restored by an update with the spec, which makes a new version', async () => {
    const fixture = await roleWith(['first', 'second']);
    const { registry } = fixture;
    const current = await registry.get(READER, KEY);
    const { spec } = await registry.version(READER, KEY, 1);
    const restored = await registry.put(as('admin'), { ...KEY, body: { ...current, spec } });
    expect(restored.resource).toMatchObject({ metadata: { generation: 3 }, spec: { description: 'first' } });
    expect(await generations(fixture)).toEqual([3, 2, 1]);
    await expect(registry.put(as('admin'), { ...KEY, body: { ...current, spec } })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('need role reader', async () => {
    const { registry } = await roleWith(['first']);
    await expect(registry.versions(as('a2a'), KEY, { limit: 1 })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(registry.version(as('a2a'), KEY, 1)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('are kept of no kind that holds Secret values or records what ran', async () => {
    const kept = kinds.filter(({ keepsVersions }) => keepsVersions);
    expect(
      kept.filter(({ writeOnly, isRecord, serviceManaged, kind }) => writeOnly || isRecord || serviceManaged || kind === 'Session'),
    ).toEqual([]);
    const { registry, store, post } = await setup();
    await post({ kind: 'Secret', metadata: { name: 's' }, spec: { stringData: { token: 'one' } } });
    const { resource } = await post({ kind: 'Secret', metadata: { name: 's' }, spec: { stringData: { token: 'two' } } });
    expect(await store.listVersions(resource.metadata.uid, { before: 100, limit: 10 })).toEqual([]);
    await expect(registry.versions(READER, { kind: 'Secret', namespace: 'default', name: 's' }, { limit: 1 })).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});
