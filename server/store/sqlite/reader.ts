// The read half of the store over the statements of one connection.
import type { Operations } from '../operations.ts';
import type { StoreReader } from '../store.ts';
import type { Topics } from './statements/topics.ts';

export const reads: Operations<Topics, StoreReader> = {
  getObject: ({ objects }, key) => objects.get(key),
  listObjects: async ({ lists }, query) => (await lists.list(query)).objects,
  listPage: ({ lists }, query, bytesMax) => lists.list(query, bytesMax),
  searchPage: ({ search }, query, bytesMax) => search.search(query, bytesMax),
  hasPendingTexts: ({ search }) => search.hasPending(),
  countObjects: ({ lists }, query) => lists.count(query),
  findNames: ({ names }, query) => names.find(query),
  readIndexedFields: ({ objects }, keys) => keys.map((key) => objects.terms(key)?.fields),
  listNamespaces: ({ objects }) => objects.namespaces(),
  listVersions: ({ versions }, uid, query) => versions.list(uid, query),
  getVersion: ({ versions }, uid, generation) => versions.get(uid, generation),
  readChanges: ({ changes }, query) => changes.read(query),
  readChangePage: ({ changes }, query, bytesMax) => changes.readPage(query, bytesMax),
  changeBounds: ({ changes }) => changes.bounds(),
  readJournal: ({ journal }, ...args) => journal.read(...args),
  readSignals: ({ journal }, stream) => journal.signals(stream),
  readEvents: ({ events }, owner, query) => events.read(owner, query),
  eventHead: ({ events }, owner) => events.head(owner),
  getWorkItem: ({ work }, queue, key) => work.get(queue, key),
  nextWorkAt: ({ work }, queue, now) => work.nextWorkAt(queue, now),
  listDemands: ({ workLists }, queue) => workLists.demands(queue),
  listReadyWork: ({ workLists }, ...args) => workLists.ready(...args),
  countWork: ({ workLists }, queue, now) => workLists.counts(queue, now),
  countHeldWork: ({ workLists }, queue, limit) => workLists.held(queue, limit),
  getDocument: ({ documents }, collection, id) => documents.get(collection, id),
  listDocuments: ({ documents }, ...args) => documents.list(...args),
};
