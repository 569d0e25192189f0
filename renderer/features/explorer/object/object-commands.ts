// The reading of an object as a terminal command. Pure.
import type { ResourceKey } from '@svc/shared/resource';
import { quoted, TOKEN_HEADER } from '../../../ui/text/shell-text.ts';

type Read = Omit<ResourceKey, 'kind'> & { readonly plural: string };

export function svcctlGet({ plural, namespace, name }: Read): string {
  return `npx svcctl -n ${quoted(namespace)} get ${quoted(plural)} ${quoted(name)} -o yaml`;
}

export function curlGet({ plural, namespace, name }: Read, origin: string): string {
  const url = `${origin}/v1/${plural}/${encodeURIComponent(name)}?namespace=${encodeURIComponent(namespace)}`;
  return [`curl -sS ${quoted(url)}`, TOKEN_HEADER].join(' \\\n  ');
}
