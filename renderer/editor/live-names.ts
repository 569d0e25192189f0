// Names of live objects and namespaces, requested from the server for completion.
import { client } from '../live/api.ts';
import { NAMES_MAX, type NamedObject } from './codemirror/yaml-context.ts';

/** Objects of a kind whose names contain the text, those of `namespace` first; `other/x` searches in that namespace only. */
export async function findNames(
  kind: string,
  text: string,
  at: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly NamedObject[]> {
  const query = { text: `${kind}:${text}`, limit: NAMES_MAX };
  const { signal, namespace } = at;
  const [own, all] = await Promise.all([
    text.includes('/') ? [] : client.resources.search.query({ ...query, namespace }, { signal }),
    client.resources.search.query(query, { signal }),
  ]);
  const seen = new Set<string>();
  return [...own, ...all].filter((each) => {
    const id = `${each.namespace}/${each.name}`;
    return each.kind === kind && !seen.has(id) && seen.add(id);
  });
}

export type FindNames = typeof findNames;

export function listNamespaces(): Promise<readonly string[]> {
  return client.server.namespaces.query();
}
