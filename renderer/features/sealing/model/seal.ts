// Sealing in the browser: values are encrypted here with the server's public key, and only what they became leaves the page.
import { ServiceError } from '@svc/shared/errors';
import { API_VERSION } from '@svc/shared/resource';
import { createSealer, type SealedEntry } from '@svc/shared/sealing/sealing';
import { client } from '../../../live/api.ts';
import { changedKeyProblem, pinKey, pinnedKey } from './pinned-key.ts';

/** The SealedSecret that values are sealed for; they open nowhere else. */
export interface SealedPlace {
  readonly namespace: string;
  readonly name: string;
}

export const SEALED_SECRET = 'SealedSecret';

/** Bounds of a Secret's entries, as the server has them. */
export const ENTRY_KEY = /^[A-Za-z0-9._-]{1,253}$/;

/** Why this page cannot encrypt; undefined where it can. Browsers offer WebCrypto over HTTPS and on loopback only. */
export function sealingProblem(): string | undefined {
  if (globalThis.isSecureContext && globalThis.crypto?.subtle !== undefined) return undefined;
  return 'This page was loaded over plain HTTP, where browsers do not encrypt. Open the console over HTTPS, or use svcctl seal.';
}

/** Seals the values with the server's current key. Rejects when the server has none, when it does not fit its id, and when it is not the pinned one. */
export async function sealValues(
  place: SealedPlace,
  values: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, SealedEntry>>> {
  const key = await client.server.sealingKey.query();
  const changed = changedKeyProblem(key.keyId, pinnedKey());
  if (changed !== undefined) throw new ServiceError('conflict', changed);
  const sealer = await createSealer(key);
  const entries = Object.entries(values).map(async ([name, value]): Promise<[string, SealedEntry]> => [
    name,
    await sealer.seal({ ...place, key: name }, new TextEncoder().encode(value)),
  ]);
  const sealed = Object.fromEntries(await Promise.all(entries));
  pinKey(key.keyId);
  return sealed;
}

/** A manifest to keep in a repository or to apply. */
export async function sealedManifest(place: SealedPlace, values: Readonly<Record<string, string>>): Promise<string> {
  // Pages that only set a value need no YAML.
  const [encryptedData, { toYaml }] = await Promise.all([sealValues(place, values), import('../../../yaml/serialise.ts')]);
  const { namespace, name } = place;
  const manifest = { apiVersion: API_VERSION, kind: SEALED_SECRET, metadata: { name, namespace }, spec: { encryptedData } };
  return `# Sealed for ${namespace}/${name}: the entries open under this name and namespace only.\n${toYaml(manifest)}`;
}
