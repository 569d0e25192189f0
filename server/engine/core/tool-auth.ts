// How a tool's calls are authenticated, as records say it: the Secret by name only.
import { isObject } from '@svc/shared/json';
import type { ToolAuth } from './entries.ts';
import type { ToolSnapshot } from './snapshot.ts';

export function authOf(tool: ToolSnapshot | undefined): { readonly auth?: ToolAuth } {
  const auth = tool?.spec['auth'];
  if (!isObject(auth) || typeof auth['secretRef'] !== 'string' || auth['secretRef'] === '') return {};
  return { auth: { profile: typeof auth['profile'] === 'string' ? auth['profile'] : 'bearer', secret_ref: auth['secretRef'] } };
}
