// Lists of the objects whose texts hold the words of a search, newest first.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { searchProblem, searchWords } from '@svc/shared/search-text';
import type { SearchPage, SearchQuery, Store } from '../store/store.ts';
import { describeKind } from './mapping.ts';
import type { ListRequest } from './registry.ts';
import { catchUp } from './text-indexer.ts';

/** The only order of a search. */
const NEWEST_FIRST = '-createdAt';

export type TextRequest = ListRequest & { readonly search: string };

export function isTextRequest(request: ListRequest): request is TextRequest {
  return request.search !== undefined;
}

/** Throws `invalid` for a search that the kind does not have or that says nothing, and for another order or cursor. */
export function checkTextRequest(definition: KindDefinition, { search, nameContains, order = NEWEST_FIRST, after }: TextRequest): void {
  const refuse = (path: string, message: string) => invalidFields('The request', [{ path, message }]);
  if (!definition.search) throw refuse('q', `is not available on ${describeKind(definition.kind)}, which cannot be searched by text`);
  const problem = searchProblem(search);
  if (problem !== undefined) throw refuse('q', problem);
  if (nameContains !== undefined) throw refuse('nameContains', 'cannot be combined with q, which searches names too');
  if (order !== NEWEST_FIRST) throw refuse('sort', `must be ${NEWEST_FIRST} or absent with q: matches are listed newest first`);
  if (after && after.search === undefined)
    throw new ServiceError('invalid', 'after: the cursor is of a list without q; leave q out, or start the search again');
}

interface FoundPage extends SearchPage {
  /** Some texts are not indexed yet. */
  readonly incomplete: boolean;
}

/** For a request that was checked. */
export async function searchTexts(store: Store, request: TextRequest, bytesMax: number): Promise<FoundPage> {
  const { kind, namespace, labels, fields, limit, search, after } = request;
  const incomplete = await catchUp(store);
  const query: SearchQuery = {
    kind,
    limit,
    words: searchWords(search),
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
    ...(fields && { fields }),
    ...(after?.search !== undefined && { before: after.search }),
  };
  return { ...(await store.searchPage(query, bytesMax)), incomplete };
}
