// The token of a ModelEndpoint, read from its Secret at every call and examined before it is sent: a slip in a Secret is best explained here.
import { ServiceError } from '@svc/shared/errors';
import { CallError, type ModelEndpointRef } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { endpointTitle } from './provider.ts';

/** Characters allowed in a header: visible ASCII. Keys of all known providers are. */
const SENDABLE = /^[\x21-\x7e]+$/;

export interface TokenRequest {
  readonly secrets: SecretResolver;
  readonly endpoint: ModelEndpointRef;
  readonly required: boolean;
}

/** The endpoint's token, or undefined when it has none and needs none. White space around it is dropped: files end in newlines. Rejects with CallError. */
export async function endpointToken({ secrets, endpoint, required }: TokenRequest): Promise<string | undefined> {
  const ref = endpoint.spec.auth?.secretRef;
  if (!ref) return required ? missing(endpoint, 'names no Secret') : undefined;
  const token = await resolve(secrets, endpoint, ref);
  if (token === '') return required ? missing(endpoint, 'names a Secret whose value is empty') : undefined;
  checkToken(token, `${endpointTitle(endpoint)} auth.secretRef "${ref}"`);
  return token;
}

async function resolve(secrets: SecretResolver, endpoint: ModelEndpointRef, ref: string): Promise<string> {
  try {
    return (await secrets.resolveValue(ref, endpoint.namespace)).trim();
  } catch (error) {
    const why = error instanceof ServiceError ? `: ${error.message}` : '';
    throw new CallError('secret_resolution_failed', `${endpointTitle(endpoint)} auth.secretRef "${ref}" could not be resolved${why}`, {
      retryable: error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'internal'),
      cause: error,
    });
  }
}

function checkToken(token: string, what: string): void {
  if (/^bearer(\s|$)/i.test(token)) {
    const message = `${what} holds a value that begins with "Bearer "; store the bare token, the scheme is added when it is sent`;
    throw new CallError('auth_invalid', message, { retryable: false, reason: 'bearer_prefix' });
  }
  if (SENDABLE.test(token)) return;
  const message = `${what} holds a value with spaces, line breaks or other characters that a header cannot carry; store the bare token`;
  throw new CallError('auth_invalid', message, { retryable: false, reason: 'unsendable_token' });
}

function missing(endpoint: ModelEndpointRef, problem: string): never {
  throw new CallError('secret_resolution_failed', `${endpointTitle(endpoint)} auth.secretRef ${problem}, and its provider needs a token`, {
    retryable: false,
  });
}
