import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { createSecretBox } from '../secrets/secret-box.ts';
import { as, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';

const PLAIN = 'correct-horse-battery';
const BASE64 = Buffer.from(PLAIN).toString('base64');
const key = { kind: 'Secret', namespace: 'default', name: 'db' };
const secret = (spec: object) => ({ kind: 'Secret', metadata: { name: 'db' }, spec });
const MASKED = { data: { password: '***' } };

let fixture: RegistryFixture;

afterEach(async () => {
  await fixture.store.close();
});

describe('a Secret', () => {
  it('is stored encrypted and shown masked on every way out', async () => {
    fixture = await setupRegistry();
    const { registry, store, watches } = fixture;
    const created = await fixture.post(secret({ stringData: { password: PLAIN } }));
    const patched = await registry.patch(as('writer'), { ...key, body: { metadata: { labels: { app: 'x' } } } });
    const dry = await registry.put(as('writer'), { ...key, ifMatch: '2', dryRun: true, body: secret({ data: { password: BASE64 } }) });
    const got = await registry.get(as('reader'), key);
    const listed = await registry.list(as('reader'), { kind: 'Secret', limit: 5, view: 'full' });
    const end = new AbortController();
    const shown: unknown[] = [];
    for await (const batch of watches.watch(as('reader'), { kind: 'Secret' }, { signal: end.signal })) {
      shown.push(batch);
      end.abort();
    }
    for await (const batch of watches.watch(as('reader'), { kind: 'Secret' }, { since: 0, signal: AbortSignal.timeout(2000) })) {
      shown.push(batch);
      break;
    }
    shown.push(await watches.listEvents(as('reader'), { limit: 100 }));
    const conflict = await registry
      .put(as('writer'), { ...key, ifMatch: '9', body: secret({ data: { password: BASE64 } }) })
      .catch((e: Error) => String(e));
    const removed = await registry.remove(as('writer'), key);
    for (const resource of [created.resource, patched.resource, dry.resource, got, listed.items[0], removed.resource])
      expect(resource?.spec).toEqual(MASKED);
    const out = JSON.stringify([created, patched, dry, got, listed, shown, conflict, removed]);
    const kept = JSON.stringify(await store.readChanges({ after: 0, limit: 100 }));
    for (const text of [out, kept]) {
      expect(text).not.toContain(PLAIN);
      expect(text).not.toContain(BASE64);
    }
    expect(out).not.toContain('aes256gcm');
    expect(kept).toContain('aes256gcm');
  });

  it('is recognised as unchanged although each encryption differs', async () => {
    fixture = await setupRegistry();
    await fixture.post(secret({ stringData: { password: PLAIN } }));
    expect((await fixture.post(secret({ data: { password: BASE64 } }))).action).toBe('unchanged');
    const changed = await fixture.post(secret({ stringData: { password: 'other' } }));
    expect([changed.action, changed.resource.metadata.generation]).toEqual(['configured', 2]);
  });

  it('keeps its other entries when one is patched', async () => {
    fixture = await setupRegistry();
    await fixture.post(secret({ stringData: { password: PLAIN, user: 'root' } }));
    await fixture.registry.patch(as('writer'), { ...key, body: { spec: { stringData: { user: 'app' } } } });
    const expected = secret({ stringData: { password: PLAIN, user: 'app' } });
    expect((await fixture.post(expected)).action).toBe('unchanged');
  });

  it.each([
    ['data', { data: { password: '***' } }],
    ['stringData', { stringData: { password: '***' } }],
  ])('refuses *** in %s, which says that values are write-only', async (_field, spec) => {
    fixture = await setupRegistry();
    await expect(fixture.post(secret(spec))).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('write-only') });
  });

  it('never repeats a refused value', async () => {
    fixture = await setupRegistry();
    const refusal = await fixture.post(secret({ data: { password: PLAIN } })).catch((error: unknown) => error as ServiceError);
    expect(refusal).toMatchObject({ code: 'invalid' });
    expect(JSON.stringify(refusal instanceof ServiceError && refusal.toBody())).not.toContain(PLAIN);
  });

  it('without an encryption key is stored as base64 plaintext, still masked', async () => {
    fixture = await setupRegistry({ secretBox: createSecretBox() });
    expect((await fixture.post(secret({ stringData: { password: PLAIN } }))).resource.spec).toEqual(MASKED);
    expect((await fixture.store.getObject(key))?.spec).toEqual({ data: { password: BASE64 } });
  });

  it('written under a lost key can be replaced but not patched', async () => {
    fixture = await setupRegistry();
    await fixture.post(secret({ stringData: { password: PLAIN } }));
    const stored = await fixture.store.getObject(key);
    const other = await setupRegistry({ secretBox: createSecretBox('cd'.repeat(32)) });
    await other.store.transaction((tx) => tx.insertObject(stored!));
    await fixture.store.close();
    fixture = other;
    await expect(other.registry.patch(as('writer'), { ...key, body: { spec: { stringData: { user: 'x' } } } })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect((await other.post(secret({ stringData: { password: PLAIN } }))).action).toBe('configured');
    expect((await other.post(secret({ stringData: { password: PLAIN } }))).action).toBe('unchanged');
  });
});
