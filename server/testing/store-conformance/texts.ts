// Store conformance: texts that databases cut or refuse. A bound text with one is refused, a JSON value with one survives.
import { describe, expect, it } from 'vitest';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, claimNew, EPOCH, makeClaimQuery, makeItem, makeObject, nextVersion, seed } from './fixture.ts';

const BAD_TEXTS = [
  ['U+0000', 'a\0b'],
  ['a final U+0000', 'a\0'],
  ['an unpaired surrogate', 'a\ud800'],
] as const;

const task = (name: string) => ({ kind: 'Task', namespace: 'default', name });
const list = { kind: 'Task', order: 'name', limit: 10 } as const;
const names = { kinds: ['Task'], match: 'prefix', limit: 10 } as const;
const changes = { after: 0, limit: 10 };

/** Each read with a text of the caller's choice in one of its places. */
const READS: readonly (readonly [string, (store: StoreReader, text: string) => Promise<unknown>])[] = [
  ['getObject by name', (store, text) => store.getObject(task(text))],
  ['getObject by namespace', (store, text) => store.getObject({ ...task('a'), namespace: text })],
  ['getObject by kind', (store, text) => store.getObject({ ...task('a'), kind: text })],
  ['listObjects by namespace', (store, text) => store.listObjects({ ...list, namespace: text })],
  ['listObjects after a name', (store, text) => store.listObjects({ ...list, after: { namespace: 'default', name: text } })],
  ['listObjects by label', (store, text) => store.listObjects({ ...list, labels: [{ op: 'eq', key: 'team', value: text }] })],
  ['listObjects by a set of labels', (store, text) => store.listObjects({ ...list, labels: [{ op: 'in', key: 'team', values: [text] }] })],
  ['listObjects by field', (store, text) => store.listObjects({ ...list, fields: [{ path: 'spec.system', op: 'eq', value: text }] })],
  [
    'countObjects by field',
    (store, text) => store.countObjects({ ...list, max: 9, fields: [{ path: 'spec.system', op: 'eq', value: text }] }),
  ],
  ['findNames by text', (store, text) => store.findNames({ ...names, text })],
  ['findNames by namespace', (store, text) => store.findNames({ ...names, text: 'a', namespace: text })],
  ['readIndexedFields', (store, text) => store.readIndexedFields([task('a'), task(text)])],
  ['readChanges by name', (store, text) => store.readChanges({ ...changes, kind: 'Task', namespace: 'default', name: text })],
  ['readChanges by kind', (store, text) => store.readChanges({ ...changes, kind: text })],
  ['readJournal', (store, text) => store.readJournal(text, 0, 10)],
  ['readEvents', (store, text) => store.readEvents(text, { after: 0, limit: 10 })],
  ['eventHead', (store, text) => store.eventHead(text)],
  ['readSignals', (store, text) => store.readSignals(text)],
  ['getWorkItem by key', (store, text) => store.getWorkItem('task', text)],
  ['getDocument by id', (store, text) => store.getDocument('c', text)],
  ['getDocument by collection', (store, text) => store.getDocument(text, 'a')],
  ['listDocuments after an id', (store, text) => store.listDocuments('c', text, 10)],
];

const signal = { type: 'cancel', timestamp: at(1), data: {} };

const WRITES: readonly (readonly [string, (tx: StoreTransaction, text: string) => Promise<unknown>])[] = [
  ['getObjectForUpdate', (tx, text) => tx.getObjectForUpdate(task(text))],
  ['insertObject by name', (tx, text) => tx.insertObject(makeObject({ name: text }))],
  ['insertObject by label value', (tx, text) => tx.insertObject(makeObject({ name: 'n', labels: { team: text } }))],
  ['insertObject by indexed field', (tx, text) => tx.insertObject(makeObject({ name: 'n', spec: { system: text } }))],
  ['insertObject by reference', (tx, text) => tx.insertObject(makeObject({ name: 'n', spec: { secrets: [text] } }))],
  ['updateObject by name', (tx, text) => tx.updateObject(nextVersion(makeObject({ name: text })))],
  ['deleteObject', (tx, text) => tx.deleteObject(task(text), at(1))],
  ['appendFact', (tx, text) => tx.appendFact(task(text), at(1), { type: 't', source: 's', action: 'a', message: 'm' })],
  ['appendEvents', (tx, text) => tx.appendEvents(text, [{ type: 't', timestamp: at(1), data: {} }])],
  ['appendEvents by type', (tx, text) => tx.appendEvents('s', [{ type: text, timestamp: at(1), data: {} }])],
  ['deleteEvents', (tx, text) => tx.deleteEvents(text, 1)],
  ['deleteJournal', (tx, text) => tx.deleteJournal(text)],
  ['sendSignal', (tx, text) => tx.sendSignal('task', { ...signal, stream: text })],
  ['enqueueWork', (tx, text) => tx.enqueueWork(makeItem({ key: text }))],
  [
    'claimWork',
    async (tx, text) => {
      await tx.enqueueWork(makeItem({ key: 'ready' }));
      return tx.claimWork(makeClaimQuery({ owner: text }));
    },
  ],
  ['removeUnclaimedWork', (tx, text) => tx.removeUnclaimedWork('task', text)],
  ['dropWork', (tx, text) => tx.dropWork('task', text)],
  ['putDocument', (tx, text) => tx.putDocument('c', text, {})],
  ['deleteDocument', (tx, text) => tx.deleteDocument('c', text)],
];

/** Seeds objects that a truncated text would name: an object, a document, a work item with its journal. */
async function seedNamedA({ store }: Subject): Promise<void> {
  await seed(store, [makeObject({ name: 'a', labels: { team: 'a' }, spec: { system: 'a' } })]);
  const claim = await claimNew(store, { key: 'a' });
  await store.transaction(async (tx) => {
    await tx.putDocument('c', 'a', { kept: true });
    await tx.appendJournal(claim, 0, [{ type: 't', timestamp: at(0), data: { kept: true } }]);
  });
}

async function everythingNamedA({ store }: Subject): Promise<unknown> {
  return {
    object: (await store.getObject(task('a')))?.resourceVersion,
    objects: (await store.listObjects(list)).length,
    document: await store.getDocument('c', 'a'),
    documents: (await store.listDocuments('c', '', 10)).length,
    owner: (await store.getWorkItem('task', 'a'))?.owner,
    journal: (await store.readJournal('a', 0, 10)).length,
    signals: await store.readSignals('a'),
    head: (await store.changeBounds()).head,
  };
}

export function textConformance(subject: Subject): void {
  describe.each(BAD_TEXTS)('a bound text with %s', (_, text) => {
    it('is refused as invalid by every read', async () => {
      await seedNamedA(subject);
      for (const [name, read] of READS) {
        await expect(read(subject.store, text), name).rejects.toMatchObject({ name: 'ServiceError', code: 'invalid' });
      }
    });

    it('is refused as invalid by every write, which changes nothing', async () => {
      await seedNamedA(subject);
      const before = await everythingNamedA(subject);
      for (const [name, write] of WRITES) {
        const outcome = subject.store.transaction((tx) => write(tx, text));
        await expect(outcome, name).rejects.toMatchObject({ name: 'ServiceError', code: 'invalid' });
      }
      expect(await everythingNamedA(subject)).toEqual(before);
    });
  });

  describe('a JSON value with U+0000 or an unpaired surrogate', () => {
    const value = { text: 'a\0b \ud800 \udc00x \u2028 😀', ['k\0ey']: ['\0', { deep: '\0\0' }] };

    it('survives whole in objects, facts and the change log', async () => {
      const { store } = subject;
      const object = makeObject({
        name: 'whole',
        spec: { value },
        status: { phase: 'Pending', value },
        annotations: { note: 'a\0b\ud800' },
      });
      const fact = { type: 't', source: 's', action: 'a', message: 'a\0b\ud800', data: { value } };
      await store.transaction(async (tx) => {
        await tx.insertObject(object);
        await tx.appendFact(object, at(0), fact);
        await tx.updateObject(nextVersion(object, { status: { phase: 'Running', value } }));
      });
      await subject.reopen();
      expect(await subject.store.getObject(object)).toEqual(nextVersion(object, { status: { phase: 'Running', value } }));
      const log = await subject.store.readChanges(changes);
      expect(log.map((change) => change.object ?? change.fact)).toEqual([
        object,
        fact,
        nextVersion(object, { status: { phase: 'Running', value } }),
      ]);
    });

    it('survives whole in journals, signals and documents', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      const entry = { type: 'tool.result', timestamp: at(0), data: { value } };
      await store.transaction(async (tx) => {
        await tx.appendJournal(claim, 0, [entry]);
        await tx.sendSignal('task', { ...signal, stream: claim.key, data: { value } });
        await tx.putDocument('c', 'whole', { value });
        await tx.putDocument('c', 'whole', { value, again: value });
      });
      await subject.reopen();
      expect(await subject.store.readJournal(claim.key, 0, 10)).toEqual([{ ...entry, seq: 1 }]);
      expect((await subject.store.readSignals(claim.key)).map(({ data }) => data)).toEqual([{ value }]);
      expect(await subject.store.listDocuments('c', '', 10)).toEqual([{ id: 'whole', document: { value, again: value } }]);
    });

    it('survives whole in the requirements of work', async () => {
      const { store } = subject;
      const requirements = { region: 'a\0b', model: 'm\ud800' };
      await store.transaction((tx) => tx.enqueueWork(makeItem({ requirements, notBefore: EPOCH })));
      expect(await store.listDemands('task')).toEqual([requirements]);
      expect(await store.listReadyWork('task', requirements, { limit: 10 })).toMatchObject([{ requirements }]);
    });
  });
}
