// How a tool's calls are authenticated, as records say it: the Secret by name only.
import type { ToolAuth } from './entries.ts';
import type { ToolSnapshot } from './snapshot.ts';

export function authOf(tool: ToolSnapshot | undefined): { readonly auth?: ToolAuth } {
  const { profile, secretRef } = tool?.spec.auth ?? {};
  return profile === undefined || secretRef === undefined ? {} : { auth: { profile, secret_ref: secretRef } };
}
