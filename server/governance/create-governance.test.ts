import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { CallVerdict } from '../engine/ports.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { systemContext, type Registry } from '../registry/registry.ts';
import { createUuidV7 } from '../registry/uuid-v7.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Store, StoreReader } from '../store/store.ts';
import { storeEngines, turns } from '../testing/background.ts';
import { call, modelCall, permission } from '../testing/governance-rules.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createGovernance } from './create-governance.ts';
import { createGovernanceHooks, readRulesVersion } from './rules-version.ts';

const KINDS = ['AgentPolicy', 'AgentRole', 'ToolPermission'] as const;
const short = (verdict: CallVerdict) => (verdict.verdict === 'deny' ? verdict.reason : verdict.verdict);

function gate() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}

/** The reader, with `after` run when a read has its result and before anybody is given it. */
function delayed(reader: StoreReader, after: (method: string) => Promise<unknown>): StoreReader {
  return new Proxy(reader, {
    get(target, name: keyof StoreReader) {
      const method = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const result = await method.apply(target, args);
        await after(name);
        return result;
      };
    },
  });
}

/** Each judgement may read all rules 20 times, which takes long on a busy machine. */
const TRYING_MAX_MS = 10_000;

/** The reader, with a list of its reads. */
const counted = (reader: StoreReader, asked: string[]) => delayed(reader, async (method) => void asked.push(method));

for (const engine of storeEngines) {
  describe.skipIf(engine.skip)(`governance over ${engine.name}`, () => {
    let store: Store;
    let registry: Registry;
    const governance = createGovernance({ defaultVerdict: 'allow' });
    const asks = (reader: StoreReader = store, subject = call()) => governance.judgeCall(reader, subject).then(short);

    beforeEach(async () => {
      const clock = createManualClock();
      store = await engine.open(clock);
      const hooks = createGovernanceHooks();
      const newUid = createUuidV7(clock);
      registry = createRegistry({
        store,
        clock,
        hooks,
        newUid,
        secretBox: createSecretBox(),
        crdConflictPolicy: 'off',
        kubernetesIsolation: false,
        versionsMax: 100,
      });
    });
    afterEach(() => store.close());

    const put = (kind: string, name: string, spec: object, metadata: object = {}) =>
      registry.post(systemContext, { kind, namespace: 'team', body: { kind, metadata: { name, ...metadata }, spec } });
    const remove = (kind: string, name: string) => registry.remove(systemContext, { kind, namespace: 'team', name });
    const block = { apply_mode: 'global', blocked_tools: ['mail'] };

    it('binds a rule, its change and its end at the next call', async () => {
      expect(await asks()).toBe('allow');
      await put('ToolPermission', 'mail', { required_permissions: ['send'] });
      expect(await asks()).toBe('permission_missing');
      const sender = call({ agent: { roles: ['sender'] } });
      expect(await asks(store, sender)).toBe('role_missing');
      await put('AgentRole', 'sender', { permissions: ['send'] });
      expect(await asks(store, sender)).toBe('allow');
      await put('AgentRole', 'sender', { permissions: ['read'] });
      expect(await asks(store, sender)).toBe('permission_missing');
      await remove('ToolPermission', 'mail');
      expect(await asks(store, sender)).toBe('allow');
      await put('AgentPolicy', 'p', { ...block, allowed_models: ['other'] });
      expect(await asks()).toBe('tool_blocked');
      expect((await governance.judgeModel(store, modelCall())).verdict).toBe('deny');
    });

    it('moves the version with each write of a rule, and with nothing else', async () => {
      const versions = [await readRulesVersion(store)];
      const moves = async () => {
        const version = await readRulesVersion(store);
        if (versions.at(-1) === version) return false;
        expect(versions).not.toContain(version);
        return versions.push(version) > 0;
      };
      for (const kind of KINDS) {
        await put(kind, 'r', {});
        expect(await moves()).toBe(true);
        await put(kind, 'r', {}, { labels: { a: 'b' } });
        await put('Agent', `a-${kind.toLowerCase()}`, { model_ref: 'm' });
        const body = { kind, metadata: { name: 'r' }, status: { phase: 'Ready' } };
        const { metadata } = await registry.get(systemContext, { kind, namespace: 'team', name: 'r' });
        await registry.putStatus(systemContext, { kind, namespace: 'team', name: 'r', body, ifMatch: metadata.resourceVersion });
        await registry.post(systemContext, { kind, namespace: 'team', dryRun: true, body: { kind, metadata: { name: 'dry' }, spec: {} } });
        expect(await moves()).toBe(false);
        await remove(kind, 'r');
        expect(await moves()).toBe(true);
      }
    });

    it('reads one document for a judgement as long as no rule changes', async () => {
      await put('ToolPermission', 'mail', {});
      const asked: string[] = [];
      const reader = counted(store, asked);
      await asks(reader);
      asked.length = 0;
      for (let n = 0; n < 5; n += 1) expect(await asks(reader)).toBe('allow');
      expect(asked).toEqual(Array.from({ length: 5 }, () => 'getDocument'));
    });

    it('reads the rules once for concurrent calls', async () => {
      await put('ToolPermission', 'mail', {});
      const asked: string[] = [];
      const reader = counted(store, asked);
      expect(await Promise.all(Array.from({ length: 20 }, () => asks(reader)))).toEqual(Array.from({ length: 20 }, () => 'allow'));
      expect(asked.filter((name) => name === 'listObjects')).toHaveLength(KINDS.length);
    });

    it('finds every rule of a store that holds many', async () => {
      // Parts: a transaction of all of them would reach its time limit on a busy machine.
      for (let first = 0; first < 1_200; first += 100)
        await store.transaction(async (tx) => {
          const rules = Array.from({ length: 100 }, (_, index) => first + index).map((n) => ({
            ...permission(`p-${String(n).padStart(4, '0')}`, { tool_ref: `t-${n}`, operation_rules: [{ verdict: 'deny' }] }),
            uid: `many-${n}`,
          }));
          await Promise.all(rules.map((rule) => tx.insertObject(rule)));
          await tx.putDocument('governance', 'version', { version: `many-${first}` });
        });
      const of = (n: number) => asks(store, call({ tool: { name: `t-${n}` } }));
      expect(await Promise.all([of(0), of(499), of(500), of(1_199), of(1_200)])).toEqual([
        ...Array.from({ length: 4 }, () => 'operation_denied'),
        'allow',
      ]);
    });

    it('reads only through its transaction, and keeps no rule that is rolled back', async () => {
      const closed = new Error('rolled back');
      const inside: string[] = [];
      const rolledBack = store.transaction(async (tx) => {
        await tx.insertObject(permission('mail', { operation_rules: [{ verdict: 'deny' }] }));
        await createGovernanceHooks()
          .get('ToolPermission')
          ?.onCreated?.(tx, {} as never);
        inside.push(await asks(tx));
        throw closed;
      });
      await expect(rolledBack).rejects.toBe(closed);
      expect([...inside, await asks()]).toEqual(['operation_denied', 'allow']);
    });

    it('never judges by rules of different versions during continuous writes', async () => {
      // Two rules change places in one transaction, so at every moment one of them denies.
      await put('AgentPolicy', 'a', block);
      const documents = (name: string, other: string) => [
        { kind: 'AgentPolicy', metadata: { name, labels: { set: 'x' } }, spec: block },
        { kind: 'AgentPolicy', metadata: { name: other, labels: { set: 'x' } }, spec: {} },
      ];
      let writing = true;
      const write = async () => {
        for (let round = 0; writing; round += 1)
          await registry.apply(systemContext, round % 2 ? documents('a', 'z') : documents('z', 'a'), { namespace: 'team' });
      };
      const writer = write();
      const seen = new Set<string>();
      const until = performance.now() + TRYING_MAX_MS;
      for (let n = 0; n < 150 && performance.now() < until; n += 1) {
        const fresh = createGovernance({ defaultVerdict: 'allow' });
        seen.add(
          await fresh.judgeCall(store, call()).then(short, (error: unknown) => (error instanceof ServiceError ? error.code : 'threw')),
        );
        seen.add(await asks().catch((error: unknown) => (error instanceof ServiceError ? error.code : 'threw')));
      }
      writing = false;
      await writer;
      seen.delete('unavailable');
      expect([...seen]).toEqual(['tool_blocked']);
    });

    it('reads rules again that changed while they were read', async () => {
      const denying = { operation_rules: [{ verdict: 'deny' }] };
      const documents = (spec: object, permissionSpec: object) => [
        { kind: 'AgentPolicy', metadata: { name: 'p' }, spec },
        { kind: 'ToolPermission', metadata: { name: 'mail' }, spec: permissionSpec },
      ];
      const swap = (spec: object, permissionSpec: object) =>
        registry.apply(systemContext, documents(spec, permissionSpec), { namespace: 'team' });
      await swap({}, denying);
      let lists = 0;
      // Policies are read before the change, permissions after it: the mix would allow the call.
      const reader = delayed(store, async (method) => method === 'listObjects' && (lists += 1) === 1 && swap(block, {}));
      expect(await asks(reader)).toBe('tool_blocked');
    });

    it('shares no reading that ended with older rules than the call has seen', async () => {
      await put('AgentPolicy', 'p', {});
      let documents = 0;
      const late = gate();
      const held = gate();
      const reader = delayed(store, async (method) => {
        // The first call's last read of the version.
        if (method !== 'getDocument' || (documents += 1) !== 3) return;
        held.open();
        await late.passed;
      });
      const first = asks(reader);
      await held.passed;
      await put('AgentPolicy', 'p', block);
      const second = asks(reader);
      await expect.poll(() => documents).toBe(4);
      await turns(5);
      late.open();
      expect([await first, await second]).toEqual(['allow', 'tool_blocked']);
    });

    it('applies rules that were committed before a call, even with many concurrent readers', async () => {
      let calling = true;
      const others = Array.from({ length: 4 }, async () => {
        while (calling) {
          await asks();
          // Reads of the embedded store alone never yield to the event loop.
          await turns(1);
        }
      });
      const seen: string[] = [];
      for (let round = 0; round < 40; round += 1) {
        await put('AgentPolicy', 'p', round % 2 ? {} : block);
        seen.push(await asks());
      }
      calling = false;
      await Promise.all(others);
      expect(seen).toEqual(Array.from({ length: 40 }, (_, round) => (round % 2 ? 'allow' : 'tool_blocked')));
    });

    it('reports that the store is unavailable', async () => {
      const away = new ServiceError('unavailable', 'the store is away');
      const reader = { getDocument: () => Promise.reject(away) } as unknown as StoreReader;
      await expect(governance.judgeCall(reader, call())).rejects.toBe(away);
    });
  });
}
