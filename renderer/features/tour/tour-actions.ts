// Server calls of the tour: look for taken names, apply, run, remove everything. Each is one call that rejects with the server's message.
import { client } from '../../live/api.ts';
import type { NewObject } from '../../live/creator.ts';
import { serverNow } from '../../live/server-clock.ts';
import {
  BLUEPRINT,
  runName,
  SYSTEM,
  takenBy,
  TOUR_SELECTOR,
  TOUR_LABEL,
  tourDocuments,
  type TakenName,
  type TourDocument,
} from './tour.ts';

const FILES = import.meta.glob<string>('../../../resources/blueprints/approval/*.yaml', { query: '?raw', import: 'default' });

/** The blueprint, parsed. Both its text and the parser are chunks of their own. */
export async function loadDocuments(): Promise<TourDocument[]> {
  const [{ parseAllDocuments }, ...texts] = await Promise.all([import('yaml'), ...Object.values(FILES).map((load) => load())]);
  const all = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
  const documents = all.filter((each): each is TourDocument => typeof each === 'object' && each !== null && 'kind' in each);
  if (documents.length === 0) throw new Error(`The blueprint ${BLUEPRINT} is not part of this console.`);
  return tourDocuments(documents);
}

/** A dry run of the write: documents that it would not create exist already. */
async function findTaken(documents: readonly TourDocument[], namespace: string): Promise<TakenName[]> {
  const rehearsed = await client.resources.applyAll.mutate({ documents: [...documents], namespace, dryRun: true });
  const there = rehearsed.flatMap(({ action }, index) => (action === 'created' ? [] : (documents[index] ?? [])));
  const found = await Promise.all(
    there.map(async ({ kind, metadata: { name } }) => {
      const { metadata } = await client.resources.get.query({ kind, namespace, name });
      return { kind, metadata };
    }),
  );
  return takenBy(documents, found);
}

export class NamesTaken extends Error {
  readonly taken: readonly TakenName[];
  constructor(taken: readonly TakenName[]) {
    super('Some names are taken');
    this.taken = taken;
  }
}

/** All or none. Rejects with NamesTaken instead of changing unrelated objects. */
export async function createTour(documents: readonly TourDocument[], namespace: string): Promise<void> {
  const taken = await findTaken(documents, namespace);
  if (taken.length > 0) throw new NamesTaken(taken);
  await client.resources.applyAll.mutate({ documents: [...documents], namespace });
}

/** The run of the tour. */
export function tourRun(namespace: string, ticket: string): NewObject {
  return {
    apiVersion: 'svc.dev/v1',
    kind: 'Task',
    metadata: { name: runName(serverNow()), namespace, labels: { [TOUR_LABEL]: 'welcome' } },
    spec: { system: SYSTEM, input: { ticket } },
  };
}

const KINDS = ['Task', 'AgentSystem', 'Agent', 'ToolPermission', 'Tool', 'ModelEndpoint'];

/** Deletes the objects with the tour's label in the namespace, and nothing else. Returns their number. */
export async function cleanUp(namespace: string): Promise<number> {
  let count = 0;
  for (const kind of KINDS) {
    const { items } = await client.resources.list.query({ kind, namespace, labelSelector: TOUR_SELECTOR, limit: 1000 });
    for (const { metadata } of items) {
      await client.resources.remove.mutate({ kind, namespace, name: metadata.name, uid: metadata.uid });
      count += 1;
    }
  }
  return count;
}
