// Search for objects by name, as a command palette does: the meaning of the text, and the order of the results.
import { invalidFields } from '@svc/shared/errors';
import { findKind, kinds } from '@svc/shared/kinds';
import { describeKey, namespaceProblem } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { NameQuery, StoreReader } from '../store/store.ts';
import type { SearchHit, SearchRequest } from './queries.ts';

const LIMIT_MAX = 50;
const TEXT_MAX_CHARS = 320;
/** Kinds that a search without a kind covers, records of what ran last. */
const SEARCHED = [...kinds.filter(({ isRecord }) => !isRecord), ...kinds.filter(({ isRecord }) => isRecord)].map(({ kind }) => kind);
/** From the best match to the weakest. */
const MATCHES = ['exact', 'prefix', 'word', 'part'] as const satisfies readonly NameQuery['match'][];

interface Wanted {
  readonly kinds: readonly string[];
  readonly namespace: string | undefined;
  /** Empty: any name. */
  readonly text: string;
}

export async function searchNames(store: StoreReader, request: SearchRequest): Promise<SearchHit[]> {
  checkSearch(request);
  const wanted = readText(request);
  if (!wanted) return [];
  const { namespace, text } = wanted;
  const hits = new Map<string, ResourceKey>();
  // Any name begins with an empty text.
  for (const match of text === '' ? (['prefix'] as const) : MATCHES) {
    if (hits.size >= request.limit) break;
    const scope = namespace === undefined ? {} : { namespace };
    const found = await store.findNames({ kinds: wanted.kinds, match, text, limit: request.limit, ...scope });
    for (const key of found) if (hits.size < request.limit) hits.set(describeKey(key), key);
  }
  return withStates(store, [...hits.values()]);
}

function checkSearch({ text, namespace, limit }: SearchRequest): void {
  const faults = [
    { path: 'text', message: text.length > TEXT_MAX_CHARS ? `must be at most ${TEXT_MAX_CHARS} characters` : undefined },
    { path: 'namespace', message: namespace === undefined ? undefined : namespaceProblem(namespace) },
    {
      path: 'limit',
      message: Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX ? undefined : `must be a whole number from 1 to ${LIMIT_MAX}`,
    },
  ].filter((fault): fault is { path: string; message: string } => fault.message !== undefined);
  if (faults.length) throw invalidFields('the search', faults);
}

/** Parses `kind:`, then `namespace/`, then the name; undefined when the text cannot name an object. */
function readText({ text, namespace }: SearchRequest): Wanted | undefined {
  const colon = text.indexOf(':');
  const definition = colon < 0 ? undefined : findKind(text.slice(0, colon));
  if (colon >= 0 && !definition) return undefined;
  const rest = text.slice(colon + 1).trim();
  const slash = rest.indexOf('/');
  const within = slash < 0 ? namespace : rest.slice(0, slash);
  if (rest === '' && !definition) return undefined;
  if (within !== undefined && namespaceProblem(within)) return undefined;
  return { kinds: definition ? [definition.kind] : SEARCHED, namespace: within, text: rest.slice(slash + 1) };
}

/** Leaves out objects that were deleted meanwhile. */
async function withStates(store: StoreReader, keys: readonly ResourceKey[]): Promise<SearchHit[]> {
  const found = await store.readIndexedFields(keys);
  return keys.flatMap(({ kind, namespace, name }, index) => {
    const fields = found[index];
    if (!fields) return [];
    const { 'status.phase': phase, 'status.reason': reason } = fields;
    return [{ kind, namespace, name, ...(phase !== undefined && { phase }), ...(reason !== undefined && { reason }) }];
  });
}
