// Creates a Session with a system, without YAML.
import { API_VERSION } from '@svc/shared/resource';
import { client } from '../../../live/api.ts';
import { objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { SESSION, type SessionRef } from './session.ts';

export type SystemRef = Pick<ObjectRef, 'namespace' | 'name'>;

const NAME_PART_MAX = 40;

/** A name that is free with near certainty: `<system>-<6 characters>`. */
export function proposedName({ name }: SystemRef): string {
  const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => (byte % 36).toString(36)).join('');
  return `${name.slice(0, NAME_PART_MAX).replace(/[^A-Za-z0-9]+$/, '')}-${random}`;
}

/** In the system's namespace. Rejects with the server's refusal. */
export async function startSession(system: SystemRef, name = proposedName(system)): Promise<SessionRef> {
  const { namespace } = system;
  const body = { apiVersion: API_VERSION, kind: SESSION, metadata: { name, namespace }, spec: { system: system.name } };
  await client.resources.write.mutate({ kind: SESSION, namespace, name, mode: 'create', body });
  return { namespace, name };
}

/** The page of a Session with the composer focused. */
export function composeAddress(session: SessionRef, scope?: string): string {
  return objectAddress({ kind: SESSION, ...session }, scope, { compose: true });
}
