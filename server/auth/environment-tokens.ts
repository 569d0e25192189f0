// Identity source of the operator's tokens, from the environment (docs/operations.md "Address and authentication").
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IdentitySource } from './identity-source.ts';
import { digestOf, findEnvToken, readEnvTokens, type EnvToken, type TokenConfig } from './tokens.ts';

/** The digest of a token must not be stored: the operator chose the token, so it might be guessed from its digest. */
function proofOf(key: string, token: EnvToken): Buffer {
  return createHmac('sha256', key).update(token.digest).digest();
}

/** Compares with all tokens, in constant time each. */
function findProven(tokens: readonly EnvToken[], key: string, proof: string): EnvToken | undefined {
  const expected = Buffer.from(proof, 'hex');
  let found: EnvToken | undefined;
  for (const token of tokens) {
    const own = proofOf(key, token);
    if (own.length === expected.length && timingSafeEqual(own, expected)) found = token;
  }
  return found;
}

/** Throws `invalid` naming the position of a malformed token entry. */
export function createEnvironmentTokens(config: TokenConfig): IdentitySource {
  const tokens = readEnvTokens(config);
  const isOn = tokens.length > 0;
  return {
    id: 'env',
    linksNeedKeys: true,
    isOn: () => isOn,
    async authenticate(credential) {
      if (credential.type !== 'bearer') return undefined;
      const token = findEnvToken(tokens, digestOf(credential.token));
      return token && { identity: token.identity, linkFor: (key) => proofOf(key, token).toString('hex') };
    },
    resolve: async (proof, key) => findProven(tokens, key, proof)?.identity,
    config: async () => (isOn ? { login_methods: ['bearer'] } : {}),
    principals: async () => tokens.map(({ identity }) => identity),
    principal: async (_reader, name) => tokens.find(({ identity }) => identity.name === name)?.identity,
  };
}
