// Writes shared by lists and pages: labels, suspension, values of a Secret, removal. Each changes one thing and leaves the rest of the
// object unchanged. Each names the object by its uid: it never reaches a later object of the same name, and does not conflict with status
// writes.
import { SUSPEND_REASON, type Resource } from '@svc/shared/resource';
import type { QueryClient } from '@tanstack/react-query';
import { isWriteOnly } from '../../kinds/kind-table.ts';
import { client } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { sealValues } from '../sealing/model/seal.ts';
import { showObject } from './cache.ts';
import { isSuspended, refOf } from './object-traits.ts';

/** Changes of labels; null removes one. */
export type LabelChange = Readonly<Record<string, string | null>>;

function patch(resource: Resource, body: unknown) {
  return client.resources.write.mutate({ ...refOf(resource), uid: resource.metadata.uid, mode: 'patch', body });
}

export async function patchLabels(resource: Resource, labels: LabelChange): Promise<void> {
  await patch(resource, { metadata: { labels } });
}

export interface Suspension {
  readonly suspend: boolean;
  /** Kept as an annotation while it is suspended. */
  readonly reason?: string;
}

/** Optimistic; rolls back when the server refuses. Rejects with the refusal. */
export async function setSuspended(queryClient: QueryClient, resource: Resource, { suspend, reason = '' }: Suspension): Promise<void> {
  if (isSuspended(resource) === suspend && reason === '') return;
  showObject(queryClient, { ...resource, spec: { ...resource.spec, suspend } });
  try {
    const annotations = { [SUSPEND_REASON]: suspend && reason !== '' ? reason : null };
    const changed = reason !== '' || Object.hasOwn(resource.metadata.annotations, SUSPEND_REASON);
    await patch(resource, { spec: { suspend }, ...(changed && { metadata: { annotations } }) });
  } catch (error) {
    showObject(queryClient, resource);
    throw error;
  }
}

/** Sets one value of a Secret, or of a SealedSecret, for which it is sealed before it leaves the page. */
export async function setSecretValue(secret: Resource, key: string, value: string): Promise<void> {
  const spec = isWriteOnly(secret.kind)
    ? { stringData: { [key]: value } }
    : { encryptedData: await sealValues(secret.metadata, { [key]: value }) };
  await patch(secret, { spec });
}

export async function removeSecretKey(secret: Resource, key: string): Promise<void> {
  await patch(secret, { spec: { [isWriteOnly(secret.kind) ? 'data' : 'encryptedData']: { [key]: null } } });
}

/** A concurrent deletion is the wanted result. */
export async function removeObject(resource: Resource): Promise<'deleted' | 'gone'> {
  try {
    await client.resources.remove.mutate({ ...refOf(resource), uid: resource.metadata.uid });
    return 'deleted';
  } catch (error) {
    if (problemOf(error).code === 'not_found') return 'gone';
    throw error;
  }
}
