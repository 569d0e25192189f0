// Facts about users in the change log. They hold the name of the user only.
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import type { StoreTransaction } from '../../store/store.ts';

/** No kind of resource: users are documents. */
export const USER_FACT_KIND = 'User';

const FACTS = {
  created: (name: string) => `User "${name}" was created`,
  deleted: (name: string) => `User "${name}" was deleted`,
  role_changed: (name: string) => `The role of user "${name}" was changed`,
  password_changed: (name: string) => `The password of user "${name}" was changed`,
  signed_out: (name: string) => `A sign-in of user "${name}" was ended`,
};

/** Appends the event in the transaction of the change, so that every server on the store receives it. */
export function appendUserFact(
  tx: StoreTransaction,
  { name, action, timestamp }: { readonly name: string; readonly action: keyof typeof FACTS; readonly timestamp: string },
): Promise<void> {
  const key = { kind: USER_FACT_KIND, namespace: DEFAULT_NAMESPACE, name };
  return tx.appendFact(key, timestamp, { type: `user.${action}`, source: 'auth', action, message: FACTS[action](name) });
}
