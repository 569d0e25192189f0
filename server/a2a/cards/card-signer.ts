// Signatures of agent cards (A2A 1.0 section 8.4): a JWS over the canonical JSON of the card without its signatures, whose key is published as a JWK set.
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@svc/shared/json';

export interface CardSigner {
  /** The card with its signature. */
  sign(card: JsonObject): JsonObject;
  /** Public half of the key as a set (RFC 7517). */
  readonly keys: JsonObject;
}

const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url');

/** Members that a thumbprint covers, in its order (RFC 7638, RFC 8037). */
const THUMBPRINT = { EC: ['crv', 'kty', 'x', 'y'], OKP: ['crv', 'kty', 'x'] } as const;

function algorithmOf(key: KeyObject): 'ES256' | 'EdDSA' | undefined {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
}

/** Throws Error when the PEM holds no private key of P-256 or Ed25519; the message does not quote it. */
export function createCardSigner(pem: string): CardSigner {
  const key = readKey(pem);
  const alg = key && algorithmOf(key);
  if (!key || !alg) throw new Error('it holds no private key of P-256 or Ed25519 in PEM without a passphrase');
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const members = THUMBPRINT[alg === 'EdDSA' ? 'OKP' : 'EC'].map((name) => [name, jwk[name]]);
  const kid = createHash('sha256')
    .update(canonicalJson(Object.fromEntries(members) as JsonObject))
    .digest('base64url');
  const header = base64url(canonicalJson({ alg, kid, typ: 'JOSE' }));
  return {
    sign(card) {
      const { signatures: _own, ...signed } = card;
      const input = Buffer.from(`${header}.${base64url(canonicalJson(signed))}`);
      const signature = sign(alg === 'EdDSA' ? null : 'sha256', input, { key, dsaEncoding: 'ieee-p1363' });
      return { ...signed, signatures: [{ protected: header, signature: base64url(signature) }] };
    },
    keys: { keys: [{ ...(Object.fromEntries(members) as JsonObject), alg, kid, use: 'sig' }] },
  };
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
