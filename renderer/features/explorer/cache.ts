// Shows a change of an object before the live stream delivers it. The stream wins: its data replaces this one.
import type { Resource } from '@svc/shared/resource';
import type { QueryClient } from '@tanstack/react-query';
import type { ListPage, ListPages } from '../../live/apply-changes.ts';
import { LIST, OBJECT, optionsOf } from '../../live/live-data.ts';
import { keyText, refOf } from './object-traits.ts';

/** Keeps changes that the stream delivered meanwhile: the rollback of one change must not undo others. */
function replaces(next: Resource, known: Resource): boolean {
  const [a, b] = [next.metadata, known.metadata];
  return a.uid === b.uid && Number(a.resourceVersion) >= Number(b.resourceVersion);
}

/** Replaces the object on its page and in every list that contains it, unless it has a newer state. */
export function showObject(queryClient: QueryClient, next: Resource): void {
  const key = keyText(next);
  const changed = ({ items, ...rest }: ListPage): ListPage => ({
    ...rest,
    items: items.map((each) => (keyText(each) === key && replaces(next, each) ? next : each)),
  });
  for (const query of queryClient.getQueryCache().findAll({ queryKey: LIST })) {
    const { input, type } = optionsOf(query.queryKey);
    if (input?.kind !== next.kind || query.state.data === undefined) continue;
    if (type !== 'infinite') queryClient.setQueryData(query.queryKey, changed(query.state.data as ListPage));
    else {
      const data = query.state.data as ListPages;
      queryClient.setQueryData(query.queryKey, { ...data, pages: data.pages.map(changed) });
    }
  }
  const { kind, namespace, name } = refOf(next);
  for (const query of queryClient.getQueryCache().findAll({ queryKey: OBJECT })) {
    const { input } = optionsOf(query.queryKey);
    const same = input?.kind === kind && input.namespace === namespace && input.name === name;
    // A list's object lacks the heavy parts of the status.
    const known = query.state.data as Resource | undefined;
    if (same && known && replaces(next, known))
      queryClient.setQueryData(query.queryKey, { ...next, status: { ...known.status, ...next.status } });
  }
}
