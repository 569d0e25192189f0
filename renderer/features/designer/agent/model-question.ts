// Test request to a model of the design: a stored one by its name, a drafted one with its spec and its entered key. Pure.
import { specOf } from '../../../kinds/read.ts';
import { draftId, specOfDraft, type Drafts } from '../document/drafts.ts';
import type { TrialQuestion } from './use-trial.ts';
import { draftedKey } from './vendors.ts';

export const CONNECTION_TEST = 'Answer with the single word: ready';

export function questionTo(
  drafts: Drafts,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Pick<TrialQuestion, 'namespace' | 'name' | 'spec' | 'apiKey'> {
  const draft = drafts.get(draftId({ kind: 'ModelEndpoint', namespace, name }));
  if (!draft) return { namespace, name };
  const spec = specOfDraft(draft);
  const { auth } = specOf('ModelEndpoint', { spec });
  const apiKey = auth?.secretRef === undefined ? undefined : draftedKey(drafts, namespace, auth.secretRef);
  return { namespace, name, spec, ...(apiKey !== undefined && { apiKey }) };
}
