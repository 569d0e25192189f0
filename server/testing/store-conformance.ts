// Conformance suite of every store engine, over the interface alone. An engine's own test calls it with a way to open an empty store.
import { afterEach, beforeEach, describe } from 'vitest';
import { broadcastConformance } from './store-conformance/broadcasts.ts';
import { changeLogConformance } from './store-conformance/change-log.ts';
import { countConformance } from './store-conformance/counts.ts';
import { documentConformance } from './store-conformance/documents.ts';
import { eventStreamConformance } from './store-conformance/event-streams.ts';
import { suiteClock, suiteIndex } from './store-conformance/fixture.ts';
import type { OpenStore, Opened, Subject } from './store-conformance/fixture.ts';
import { journalConformance } from './store-conformance/journal.ts';
import { listConformance } from './store-conformance/lists.ts';
import { nameConformance } from './store-conformance/names.ts';
import { objectConformance } from './store-conformance/objects.ts';
import { queueViewConformance } from './store-conformance/queue-views.ts';
import { referenceConformance } from './store-conformance/references.ts';
import { searchConformance } from './store-conformance/searches.ts';
import { sortConformance } from './store-conformance/sorts.ts';
import { textConformance } from './store-conformance/texts.ts';
import { transactionConformance } from './store-conformance/transactions.ts';
import { versionConformance } from './store-conformance/versions.ts';
import { workConformance } from './store-conformance/work.ts';

/** Registers the suite. `open` gives an empty store of its own to every test. */
export function storeConformance(name: string, open: OpenStore): void {
  describe(`${name} store`, () => {
    let opened: Opened | undefined;
    const subject: Subject = {
      get store() {
        if (!opened) throw new Error('the store is open only while a test runs');
        return opened.store;
      },
      async reopen(index) {
        if (!opened) throw new Error('the store is open only while a test runs');
        opened = { ...opened, store: await opened.reopen(index) };
        return opened.store;
      },
    };
    beforeEach(async () => {
      opened = await open(suiteClock, suiteIndex);
    });
    afterEach(async () => {
      await opened?.cleanup();
      opened = undefined;
    });

    objectConformance(subject);
    listConformance(subject);
    sortConformance(subject);
    searchConformance(subject);
    changeLogConformance(subject);
    transactionConformance(subject);
    journalConformance(subject);
    eventStreamConformance(subject);
    broadcastConformance(subject);
    workConformance(subject);
    queueViewConformance(subject);
    documentConformance(subject);
    countConformance(subject);
    nameConformance(subject);
    referenceConformance(subject);
    textConformance(subject);
    versionConformance(subject);
  });
}
