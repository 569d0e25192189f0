// The objects that governance reads as they would be with documents nobody has stored: checked by the kinds' own rules, laid over the store. It only reads.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { kinds } from '@svc/shared/kinds';
import type { ResourceKey } from '@svc/shared/resource';
import { checkDocuments, type ApplyDraft } from '../registry/apply.ts';
import type { StoredObject } from '../store/store.ts';
import type { RuleReader } from './load-rules.ts';

/** Kinds that a verdict on a call depends on. */
const WHAT_IF_KINDS = kinds.filter(({ verdictPart }) => verdictPart !== undefined).map(({ kind }) => kind);

/** Documents of one what-if, and their size together as JSON. */
export const WHAT_IF_DOCUMENTS_MAX = 32;
export const WHAT_IF_CHARACTERS_MAX = 128 * 1024;

/** Throws `too_large` past the limits, and `invalid` with every problem of all documents, paths as `documents[2].spec.tools[0]`. Pure. */
export function readWhatIf(documents: readonly unknown[], namespace: string): StoredObject[] {
  if (documents.length > WHAT_IF_DOCUMENTS_MAX) {
    throw new ServiceError('too_large', `A what-if takes at most ${WHAT_IF_DOCUMENTS_MAX} documents and this one has ${documents.length}`);
  }
  if (JSON.stringify(documents).length > WHAT_IF_CHARACTERS_MAX) {
    throw new ServiceError(
      'too_large',
      `The documents of a what-if may have ${WHAT_IF_CHARACTERS_MAX} characters together; leave some out`,
    );
  }
  const strange = documents.flatMap((document, index) =>
    isObject(document) && WHAT_IF_KINDS.includes(String(document.kind)) ? [] : [index],
  );
  if (strange.length > 0) {
    const message = `must be one of ${WHAT_IF_KINDS.join(', ')}; a what-if takes no other kind`;
    throw invalidFields(
      'the what-if',
      strange.map((index) => ({ path: `documents[${index}].kind`, message })),
    );
  }
  // Governance does not depend on isolation, so no option of the server is needed here.
  return checkDocuments(documents, { namespace, policy: { fieldValidation: 'Strict', kubernetesIsolation: true } }).map(asStored);
}

/** Without the metadata of a stored object, which no rule reads. */
function asStored({ draft }: ApplyDraft): StoredObject {
  const { labels, annotations, spec = {} } = draft.desire(undefined);
  const marks = { uid: '', resourceVersion: 0, generation: 0, createdAt: '', updatedAt: '' };
  return { ...draft.key, ...marks, labels, annotations, spec, status: {} };
}

const idOf = ({ kind, namespace, name }: ResourceKey): string => `${kind}/${namespace}/${name}`;

type Place = Pick<StoredObject, 'namespace' | 'name'>;

const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const comparePlaces = (a: Place, b: Place): number => compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

/** The store with `objects` in it: they replace stored objects of the same names; all others remain. */
export function withObjects(store: RuleReader, objects: readonly StoredObject[]): RuleReader {
  const laid = new Map(objects.map((object) => [idOf(object), object]));
  return {
    getObject: async (key) => laid.get(idOf(key)) ?? (await store.getObject(key)),
    async listObjects({ kind, after, limit }) {
      const stored = await store.listObjects({ kind, limit, ...(after && { after }) });
      const own = objects.filter((object) => object.kind === kind && (after === undefined || comparePlaces(object, after) > 0));
      // A page of the store holds its first objects behind the cursor, so the first of both are among these.
      return [...stored.filter((object) => !laid.has(idOf(object))), ...own].sort(comparePlaces).slice(0, limit);
    },
    getDocument: (collection, id) => store.getDocument(collection, id),
  };
}
