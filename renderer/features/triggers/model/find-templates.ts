// Templates that a schedule or webhook can start runs from, found by a part of their name.
import { namespaceProblem, parseRef } from '@svc/shared/resource';
import type { FindNames } from '../../../editor/live-names.ts';
import { client } from '../../../live/api.ts';

const OFFERED_MAX = 50;

/** `other/x` searches in that namespace. */
export const findTemplates: FindNames = async (kind, text, { namespace: home, signal }) => {
  const { namespace, name } = parseRef(text, home);
  if (namespaceProblem(namespace) !== undefined) return [];
  const templates = { kind, namespace, fieldSelector: 'spec.mode=template', order: 'name', limit: OFFERED_MAX } as const;
  const { items } = await client.resources.list.query({ ...templates, ...(name !== '' && { nameContains: name }) }, { signal });
  return items.map(({ metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name }));
};
