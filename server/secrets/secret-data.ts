// The `spec.data` of a stored Secret, entry by entry in and out of the box. The only place with the stored form of a Secret.
import { isObject } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import type { SecretBox } from './secret-box.ts';

export const SECRET_KIND = 'Secret';

type Spec = Readonly<Record<string, unknown>>;
type Owner = Pick<ResourceKey, 'namespace' | 'name'>;

/** The spec as it goes to the store: every `data` value sealed, with the newest key of the box unless another one is named. */
export function sealSecretSpec(
  box: Pick<SecretBox, 'seal'>,
  { namespace, name }: Owner,
  ...[spec, keyId]: [spec: Spec, keyId?: string | undefined]
): Spec {
  return mapData(spec, (key, value) => box.seal({ namespace, name, key }, value, keyId));
}

/** The spec with its base64 values readable. Throws `unavailable` when one does not open. */
export function openSecretSpec(box: Pick<SecretBox, 'open'>, { namespace, name }: Owner, spec: Spec): Spec {
  return mapData(spec, (key, value) => box.open({ namespace, name, key }, value));
}

function mapData(spec: Spec, change: (key: string, value: string) => string): Spec {
  if (!isObject(spec.data)) return spec;
  const entries = Object.entries(spec.data).map(([key, value]) => [key, change(key, String(value))]);
  return { ...spec, data: Object.fromEntries(entries) as Record<string, string> };
}
