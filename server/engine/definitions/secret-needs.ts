// Whether a run needs values of Secrets that only a worker with the encryption key can open.
import { isObject } from '@svc/shared/json';
import { parseRef } from '@svc/shared/resource';
import type { StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

/** True when a model or tool of the run names a Secret that exists. One that does not is looked for in the environment, which needs no key. */
export async function needsSecrets(reader: StoreReader, snapshot: RunSnapshot): Promise<boolean> {
  for (const { namespace, name } of secretsNamed(snapshot)) if (await reader.getObject({ kind: 'Secret', namespace, name })) return true;
  return false;
}

function secretsNamed({ models, tools }: RunSnapshot): { namespace: string; name: string }[] {
  const owners = [...Object.values(models), ...Object.values(tools)];
  const refs = owners.flatMap(({ namespace, spec }) => refsIn(spec).map((ref) => parseRef(ref.trim(), namespace)));
  return [...new Map(refs.map((ref) => [`${ref.namespace}/${ref.name}`, ref])).values()];
}

/** `auth.secretRef` of models and tools, `cli.env_from[].secretRef` and `cli.image_pull_secret` of tools. */
function refsIn(spec: unknown): string[] {
  const { auth, cli } = isObject(spec) ? spec : {};
  const variables = isObject(cli) && Array.isArray(cli['env_from']) ? cli['env_from'].filter(isObject) : [];
  const named = [
    isObject(auth) && auth['secretRef'],
    isObject(cli) && cli['image_pull_secret'],
    ...variables.map(({ secretRef }) => secretRef),
  ];
  return named.filter((ref) => typeof ref === 'string' && ref.trim() !== '') as string[];
}
