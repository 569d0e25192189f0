// Names to offer for a field: the first of the kind in a namespace that contain the typed text, requested from the server.
import { client } from '../../live/api.ts';
import type { ComboboxOption } from '../../ui/Combobox.tsx';

const READ_MAX = 500;

export function offerNames(kind: string, namespace: string) {
  return async (query: string, signal: AbortSignal): Promise<readonly ComboboxOption[]> => {
    const order = kind === 'Task' ? ('-createdAt' as const) : ('name' as const);
    const { items } = await client.resources.list.query({ kind, namespace, order, limit: READ_MAX }, { signal });
    const wanted = query.trim().toLowerCase();
    return items.map(({ metadata: { name } }) => ({ value: name })).filter(({ value }) => value.toLowerCase().includes(wanted));
  };
}
