// Result of a write whose answer was lost.
import type { Resource } from '@svc/shared/resource';
import { client } from '../live/api.ts';
import { planWrite } from './apply-plan.ts';
import type { DraftKey } from './drafts.ts';

/** The stored object, if a write of this text would change nothing in it. Undefined also where that cannot be read. Never rejects. */
export async function storedAs(
  text: string,
  target: DraftKey,
  object: { readonly metadata: { readonly namespace: string; readonly name: string } } | undefined,
): Promise<Resource | undefined> {
  if (!object) return undefined;
  const { namespace, name } = object.metadata;
  try {
    const stored = await client.resources.get.query({ kind: target.kind, namespace, name });
    const plan = planWrite(text, target, stored);
    if (!('call' in plan)) return undefined;
    const { action } = await client.resources.write.mutate({ ...plan.call, dryRun: true });
    return action === 'unchanged' ? stored : undefined;
  } catch {
    return undefined;
  }
}
