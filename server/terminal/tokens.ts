// Identity source of the tokens in terminals' environments: each acts as the owner of its terminal and is gone with it. In memory only.
import { createHash, randomBytes } from 'node:crypto';
import type { Credential, IdentitySource, RecognisedCaller } from '../auth/identity-source.ts';
import type { Identity } from '../registry/registry.ts';

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export class TerminalTokens implements IdentitySource {
  readonly id = 'terminal';
  /** By digest: a lookup takes the same time for every wrong token. */
  readonly #identities = new Map<string, Identity>();

  authenticate(credential: Credential): Promise<RecognisedCaller | undefined> {
    const identity = credential.type === 'bearer' ? this.#identities.get(digestOf(credential.token)) : undefined;
    // Without a link: the token cannot be exchanged for a sign-in that outlives the terminal.
    return Promise.resolve(identity && { identity });
  }

  issue({ name, role }: Identity): { readonly token: string; readonly revoke: () => void } {
    const token = randomBytes(32).toString('base64url');
    const digest = digestOf(token);
    this.#identities.set(digest, { method: 'bearer', name, role });
    return { token, revoke: () => void this.#identities.delete(digest) };
  }
}
