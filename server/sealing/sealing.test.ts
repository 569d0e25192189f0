// Sealing keys and the controller that unseals, over real stores: one key per store, Secrets written, restored and removed.
import { describe, expect, it, onTestFinished } from 'vitest';
import { SEALED_SECRET_OWNER } from '@svc/shared/generated-objects';
import { createSealer, type SealedEntry, type SealingPublicKey } from '@svc/shared/sealing/sealing';
import type { Registry } from '../registry/registry.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { openSecretSpec } from '../secrets/secret-data.ts';
import { rotateKeys } from '../secrets/rotate-keys.ts';
import type { Store } from '../store/store.ts';
import { keptLog, storeEngines, takeLease } from '../testing/background.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { as, registryOver } from '../testing/registry-fixture.ts';
import { createUnsealing } from './controller.ts';
import { createSealingKeys, storedSealingKey } from './sealing-key.ts';

const OLD = '11'.repeat(32);
const NEW = '22'.repeat(32);

interface World {
  readonly store: Store;
  readonly registry: Registry;
  /** Undefined: nothing was made. */
  readonly publicKey: SealingPublicKey | undefined;
  readonly settle: () => Promise<void>;
  /** Applies a SealedSecret of these values. */
  readonly apply: (name: string, values: Record<string, string>, template?: object) => Promise<void>;
  readonly remove: (kind: string, name: string) => Promise<unknown>;
  readonly status: (name: string) => Promise<unknown>;
  /** Values of the Secret as text; undefined when there is none. */
  readonly secret: (name: string) => Promise<Record<string, string> | undefined>;
}

type Open = (clock: ManualClock) => Promise<Store>;

async function setup(open: Open, secretKey: string | null = OLD): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const secretBox = createSecretBox(...(secretKey === null ? [] : [secretKey]));
  const registry = registryOver(store, clock, { secretBox });
  const keys = createSealingKeys({ store, secretBox, clock });
  if (secretKey !== null) await placeKey(store, clock);
  const publicKey = await keys.publicKey().catch(() => undefined);
  const kept = keptLog();
  const claim = await takeLease(store, clock.now());
  const controller = createUnsealing({ store, registry, keys, claim, clock, log: kept.log, random: () => 1, coalesceMs: 0 });
  onTestFinished(() => controller.stop());
  const post = (body: { kind: string; metadata: object; spec: object }) =>
    registry.post(as('writer'), { kind: body.kind, namespace: 'default', body });
  return {
    store,
    registry,
    publicKey,
    async settle() {
      await controller.runOnce();
      expect(kept.lines).toEqual([]);
    },
    async apply(name, values, template) {
      const encryptedData = await sealed(publicKey, name, values);
      await post({ kind: 'SealedSecret', metadata: { name }, spec: { encryptedData, ...(template && { template }) } });
    },
    remove: (kind, name) => registry.remove(as('writer'), { kind, namespace: 'default', name }),
    status: async (name) => (await registry.get(as('reader'), { kind: 'SealedSecret', namespace: 'default', name })).status,
    async secret(name) {
      const object = await store.getObject({ kind: 'Secret', namespace: 'default', name });
      if (!object) return undefined;
      const { data } = openSecretSpec(secretBox, object, object.spec) as { data: Record<string, string> };
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
    },
  };
}

let document: Promise<Readonly<Record<string, unknown>> | undefined> | undefined;

/** Making a key takes seconds, so the stores of most tests get the same one. */
async function placeKey(store: Store, clock: ManualClock): Promise<void> {
  document ??= (async () => {
    await createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }).publicKey();
    return store.getDocument('sealing.key', 'active');
  })();
  const placed = await document;
  if (placed) await store.transaction((tx) => tx.putDocument('sealing.key', 'active', placed));
}

async function sealed(key: SealingPublicKey | undefined, name: string, values: Record<string, string>) {
  const sealer = key && (await createSealer(key));
  const entries: Record<string, SealedEntry> = {};
  for (const [entry, value] of Object.entries(values)) {
    const identity = { namespace: 'default', name, key: entry };
    const made = await sealer?.seal(identity, new TextEncoder().encode(value));
    entries[entry] = made ?? { keyId: 'sha256:0000000000000000', wrappedKey: 'AAAA', ciphertext: 'AAAA' };
  }
  return entries;
}

describe.each(storeEngines.filter(({ skip }) => !skip))('sealed secrets over $name', ({ open }) => {
  it('become a Secret of the same name with labels, annotations and owner', async () => {
    const { apply, settle, status, secret, store } = await setup(open);
    await apply('openai', { value: 'sk-1', org: 'org-ü' }, { labels: { team: 'a' }, annotations: { note: 'kept in git' } });
    await settle();
    expect(await status('openai')).toMatchObject({ phase: 'Ready', observedGeneration: 1 });
    expect(await secret('openai')).toEqual({ value: 'sk-1', org: 'org-ü' });
    const stored = await store.getObject({ kind: 'Secret', namespace: 'default', name: 'openai' });
    expect(stored).toMatchObject({
      labels: { team: 'a' },
      annotations: { note: 'kept in git', [SEALED_SECRET_OWNER]: 'default/openai' },
      alsoBy: ['the-writer'],
    });
  });

  it('follow a change, and restore a Secret that somebody changed or deleted', async () => {
    const { apply, settle, secret, registry, remove } = await setup(open);
    await apply('api', { value: 'one' });
    await settle();
    await apply('api', { value: 'two' });
    await settle();
    expect(await secret('api')).toEqual({ value: 'two' });
    const patch = { spec: { stringData: { value: 'mine' } } };
    await registry.patch(as('writer'), { kind: 'Secret', namespace: 'default', name: 'api', body: patch });
    await settle();
    expect(await secret('api')).toEqual({ value: 'two' });
    await remove('Secret', 'api');
    await settle();
    expect(await secret('api')).toEqual({ value: 'two' });
  });

  it('write nothing while nothing changes', async () => {
    const { apply, settle, store } = await setup(open);
    await apply('api', { value: 'one' });
    await settle();
    const { head } = await store.changeBounds();
    await settle();
    expect((await store.changeBounds()).head).toBe(head);
  });

  it('take their Secret with them when they are deleted', async () => {
    const { apply, settle, secret, remove } = await setup(open);
    await apply('api', { value: 'one' });
    await settle();
    await remove('SealedSecret', 'api');
    await settle();
    expect(await secret('api')).toBeUndefined();
  });

  it('do not change a Secret that they do not own, until it is deleted', async () => {
    const { apply, settle, secret, status, registry, remove } = await setup(open);
    const body = { kind: 'Secret', metadata: { name: 'taken' }, spec: { stringData: { value: 'by hand' } } };
    await registry.post(as('writer'), { kind: 'Secret', namespace: 'default', body });
    await apply('taken', { value: 'sealed' });
    await settle();
    expect(await secret('taken')).toEqual({ value: 'by hand' });
    expect(await status('taken')).toMatchObject({
      phase: 'Error',
      lastError: expect.stringContaining('exists and is not generated') as string,
    });
    await remove('Secret', 'taken');
    await settle();
    expect(await secret('taken')).toEqual({ value: 'sealed' });
    const now = await status('taken');
    expect(now).toMatchObject({ phase: 'Ready' });
    expect(now).not.toHaveProperty('lastError');
  });

  it('never delete a Secret that carries the owner of another object', async () => {
    const { settle, secret, registry } = await setup(open);
    const metadata = { name: 'mine', annotations: { [SEALED_SECRET_OWNER]: 'default/other' } };
    const body = { kind: 'Secret', metadata, spec: { stringData: { value: 'x' } } };
    await registry.post(as('writer'), { kind: 'Secret', namespace: 'default', body });
    await settle();
    expect(await secret('mine')).toEqual({ value: 'x' });
  });

  it('end in Error with the reason, and without a part of the Secret, when one entry does not open', async () => {
    const { settle, status, secret, publicKey, registry } = await setup(open);
    const entries = await sealed(publicKey, 'moved', { good: 'a' });
    const moved = await sealed(publicKey, 'elsewhere', { bad: 'b' });
    const body = { kind: 'SealedSecret', metadata: { name: 'moved' }, spec: { encryptedData: { ...entries, ...moved } } };
    await registry.post(as('writer'), { kind: 'SealedSecret', namespace: 'default', body });
    await settle();
    expect(await status('moved')).toMatchObject({
      phase: 'Error',
      lastError: expect.stringContaining('ciphertext of entry "bad"') as string,
    });
    expect(await secret('moved')).toBeUndefined();
  });

  it('end in Error without an encryption key, where no sealing key is made', async () => {
    const { apply, settle, status, publicKey } = await setup(open, null);
    expect(publicKey).toBeUndefined();
    await apply('api', { value: 'one' });
    await settle();
    expect(await status('api')).toMatchObject({
      phase: 'Error',
      lastError: expect.stringContaining('this server has no sealing key: start it with --secret-encryption-key') as string,
    });
  });
});

describe.each(storeEngines.filter(({ skip }) => !skip))('the sealing key over $name', ({ open }) => {
  it('is made once, however many servers start at once', async () => {
    const clock = createManualClock();
    const store = await open(clock);
    onTestFinished(() => store.close());
    const servers = [1, 2].map(() => createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }));
    const [first, second] = await Promise.all(servers.map((keys) => keys.publicKey()));
    expect(first).toEqual(second);
    expect(await createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }).publicKey()).toEqual(first);
  });

  it('is stored encrypted, and moves to a new encryption key with the rotation', async () => {
    const clock = createManualClock();
    const store = await open(clock);
    onTestFinished(() => store.close());
    await placeKey(store, clock);
    const before = await createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }).publicKey();
    expect(JSON.stringify(await store.getDocument('sealing.key', 'active'))).not.toContain('PRIVATE');
    const box = createSecretBox(NEW, OLD);
    await rotateKeys({ store, box, others: [storedSealingKey(box)] }, { adopt: false, onProgress: () => undefined });
    expect(await createSealingKeys({ store, secretBox: createSecretBox(NEW), clock }).publicKey()).toEqual(before);
    await expect(createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }).publicKey()).rejects.toThrow(
      'does not open sealing key',
    );
  });

  it('is replaced on demand, which every server sees at once', async () => {
    const clock = createManualClock();
    const store = await open(clock);
    onTestFinished(() => store.close());
    await placeKey(store, clock);
    const [first, second] = [1, 2].map(() => createSealingKeys({ store, secretBox: createSecretBox(OLD), clock }));
    const before = await second?.publicKey();
    const replaced = await first?.replace();
    expect(replaced?.keyId).not.toBe(before?.keyId);
    expect(await second?.publicKey()).toEqual(replaced);
  });

  it('is refused when it was replaced', async () => {
    const clock = createManualClock();
    const store = await open(clock);
    onTestFinished(() => store.close());
    const secretBox = createSecretBox(OLD);
    await placeKey(store, clock);
    const stored = await store.getDocument('sealing.key', 'active');
    await store.transaction((tx) => tx.putDocument('sealing.key', 'active', { ...stored, key_id: 'sha256:0000000000000000' }));
    await expect(createSealingKeys({ store, secretBox, clock }).publicKey()).rejects.toThrow('has a different id');
  });
});
