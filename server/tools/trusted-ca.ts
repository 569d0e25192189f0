// Certificates that a tool's TLS connection trusts in place of the system's: key `ca.crt` of its auth Secret. For runtimes that dial themselves.
import { ServiceError } from '@svc/shared/errors';
import type { ToolRef } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { authSettings } from './tool-settings.ts';

const KEY = 'ca.crt';

/** PEM text, or undefined: then Node's own authorities are trusted, with those of NODE_EXTRA_CA_CERTS. */
export async function trustedCa(tool: ToolRef, secrets: SecretResolver): Promise<string | undefined> {
  const auth = authSettings(tool);
  if (auth.profile === 'none') return undefined;
  try {
    const entries = await secrets.resolveEntries(auth.secretRef, tool.namespace);
    return entries[KEY];
  } catch (error) {
    // The credentials came from the same Secret a moment ago; where it went, the next attempt says.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
