// The writes that lists and pages share: labels, pause, removal. Each changes one thing and leaves the rest of the object as it is.
import type { Resource } from '@svc/shared/resource';
import type { QueryClient } from '@tanstack/react-query';
import { client } from '../../live/api.ts';
import { showObject } from './cache.ts';
import { isSuspended, refOf } from './resource-facts.ts';

/** What to do with labels; null takes one away. */
export type LabelChange = Readonly<Record<string, string | null>>;

function patch(resource: Resource, body: unknown) {
  const { kind, namespace, name } = refOf(resource);
  return client.resources.write.mutate({ kind, namespace, name, mode: 'patch', body });
}

export async function patchLabels(resource: Resource, labels: LabelChange): Promise<void> {
  await patch(resource, { metadata: { labels } });
}

/** Shown at once; goes back when the server refuses. Rejects with the refusal. */
export async function setSuspended(queryClient: QueryClient, resource: Resource, suspend: boolean): Promise<void> {
  if (isSuspended(resource) === suspend) return;
  showObject(queryClient, { ...resource, spec: { ...resource.spec, suspend } });
  try {
    await patch(resource, { spec: { suspend } });
  } catch (error) {
    showObject(queryClient, resource);
    throw error;
  }
}

export async function removeObject(resource: Resource): Promise<void> {
  await client.resources.remove.mutate(refOf(resource));
}
