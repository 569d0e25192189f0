// Facts about tokens in the change log: the first one was made, one was revoked, or a sign-in made with it has ended. They hold the name of the token only.
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import type { StoreTransaction } from '../store/store.ts';

/** No kind of resource: tokens are documents. */
export const TOKEN_FACT_KIND = 'ApiToken';

const FACTS = {
  created: (name: string) => `API token "${name}" was created: from now on callers need one`,
  revoked: (name: string) => `API token "${name}" was revoked`,
  signed_out: (name: string) => `A sign-in with API token "${name}" was ended`,
};

/** Appends the event in the transaction of the change, so that every server on the store receives it. */
export function appendTokenFact(
  tx: StoreTransaction,
  { name, action, timestamp }: { readonly name: string; readonly action: keyof typeof FACTS; readonly timestamp: string },
): Promise<void> {
  const key = { kind: TOKEN_FACT_KIND, namespace: DEFAULT_NAMESPACE, name };
  return tx.appendFact(key, timestamp, { type: `token.${action}`, source: 'auth', action, message: FACTS[action](name) });
}
