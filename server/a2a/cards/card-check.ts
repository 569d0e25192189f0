// Checks of the signatures of other agents' cards (A2A 1.0 section 8.4): only keys that the operator trusts count, and no key is ever fetched.
import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { canonicalJson, isObject, readJsonObject, type JsonObject } from '@svc/shared/json';

export interface TrustedKeys {
  readonly byId: ReadonlyMap<string, TrustedKey>;
}

interface TrustedKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
}

export type CardVerdict =
  | { readonly kind: 'verified'; readonly kid: string }
  | { readonly kind: 'unsigned' }
  /** `reason` is machine-readable; `problem` continues a sentence about the card. */
  | { readonly kind: 'refused'; readonly reason: CardRefusal; readonly problem: string };

type CardRefusal = 'card_unsigned' | 'card_key_unknown' | 'card_signature_invalid' | 'card_algorithm_refused';

const SIGNATURES_MAX = 20;

interface Algorithm {
  readonly hash: string | null;
  readonly pss?: boolean;
  readonly dsaEncoding?: 'ieee-p1363';
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  ES256: { hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  ES384: { hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  EdDSA: { hash: null },
  Ed25519: { hash: null },
  RS256: { hash: 'sha256' },
  PS256: { hash: 'sha256', pss: true },
};
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384' };

/** Throws Error for a text that is not a JWK set (RFC 7517) or has no public key that can be used. */
export function readTrustedKeys(text: string): TrustedKeys {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const keys = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : undefined;
  if (!keys) throw new Error('it is not a JWK set: it has no list "keys"');
  const byId = new Map<string, TrustedKey>();
  keys.forEach((jwk: unknown, index) => {
    if (!isObject(jwk) || typeof jwk['kid'] !== 'string' || jwk['kid'] === '') throw new Error(`keys[${index}] has no "kid"`);
    byId.set(jwk['kid'], trustedKey(jwk, index));
  });
  if (byId.size === 0) throw new Error('it has no keys');
  return { byId };
}

function trustedKey(jwk: Record<string, unknown>, index: number): TrustedKey {
  const key = publicKey(jwk);
  const possible = key ? algorithmsOf(key) : [];
  const algorithms = typeof jwk['alg'] === 'string' ? possible.filter((name) => name === jwk['alg']) : possible;
  if (!key || algorithms.length === 0) throw new Error(`keys[${index}] is not a public key of P-256, P-384, Ed25519 or RSA`);
  return { key, algorithms };
}

function publicKey(jwk: Record<string, unknown>): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): readonly string[] {
  if (type === 'ed25519') return ['EdDSA', 'Ed25519'];
  if (type === 'rsa') return ['RS256', 'PS256'];
  const curve = CURVES[details?.namedCurve ?? ''];
  return type === 'ec' && curve !== undefined ? [curve] : [];
}

/** One signature by a trusted key makes a card verified. */
export function checkCard(card: JsonObject, { byId }: TrustedKeys): CardVerdict {
  const { signatures } = card;
  if (!Array.isArray(signatures) || signatures.length === 0) return { kind: 'unsigned' };
  let payloads: readonly string[] | undefined;
  // Made once: twenty signatures of a large card would take seconds.
  const payloadsOnce = () => (payloads ??= payloadsOf(card));
  const verdicts = signatures.slice(0, SIGNATURES_MAX).map((signature) => checkSignature(payloadsOnce, signature, byId));
  const refusals = verdicts.flatMap((verdict) => (verdict.kind === 'refused' ? [verdict] : []));
  const verified = verdicts.find(({ kind }) => kind === 'verified');
  const byWeight = (reason: CardRefusal) => refusals.find((refusal) => refusal.reason === reason);
  return (
    verified ??
    byWeight('card_signature_invalid') ??
    byWeight('card_algorithm_refused') ??
    byWeight('card_key_unknown') ?? { kind: 'unsigned' }
  );
}

type SignatureVerdict = Exclude<CardVerdict, { kind: 'unsigned' }>;

const refused = (reason: CardRefusal, problem: string): SignatureVerdict => ({ kind: 'refused', reason, problem });
const shown = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : null);

function checkSignature(payloads: () => readonly string[], signature: unknown, keys: TrustedKeys['byId']): SignatureVerdict {
  const { protected: protectedText, signature: signatureText } = isObject(signature) ? signature : {};
  const header = typeof protectedText === 'string' ? readJsonObject(Buffer.from(protectedText, 'base64url').toString('utf8')) : undefined;
  if (!header || typeof protectedText !== 'string' || typeof signatureText !== 'string')
    return refused('card_signature_invalid', 'has a signature that cannot be read');
  const { alg, kid } = header;
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (!algorithm) return refused('card_algorithm_refused', `has a signature with "alg" ${shown(alg)}, which is never accepted`);
  const trusted = typeof kid === 'string' ? keys.get(kid) : undefined;
  if (!trusted) return refused('card_key_unknown', `is signed with the key ${shown(kid)}, which --a2a-trusted-card-keys does not have`);
  if (!trusted.algorithms.includes(String(alg)))
    return refused('card_algorithm_refused', `has a signature with "alg" ${shown(alg)}, which does not belong to the key ${shown(kid)}`);
  // An extension that must be understood, and none is (RFC 7515 section 4.1.11).
  if (header['crit'] !== undefined) return refused('card_signature_invalid', 'has a signature with "crit", which is not supported');
  const bytes = Buffer.from(signatureText, 'base64url');
  const fits = payloads().some((payload) => {
    const input = Buffer.from(`${protectedText}.${payload}`);
    return verifies(input, bytes, { key: trusted.key, algorithm });
  });
  if (fits) return { kind: 'verified', kid: String(kid) };
  return refused('card_signature_invalid', `has a signature of the key ${shown(kid)} that does not fit its content`);
}

interface Verifying {
  readonly key: KeyObject;
  readonly algorithm: Algorithm;
}

function verifies(input: Buffer, signature: Buffer, { key, algorithm: { hash, pss, dsaEncoding } }: Verifying): boolean {
  try {
    // RSA_PKCS1_PSS_PADDING with a salt as long as the hash (RFC 7518 section 3.5).
    const options = { key, ...(dsaEncoding && { dsaEncoding }), ...(pss && { padding: 6, saltLength: 32 }) };
    return verify(hash, input, options, signature);
  } catch {
    return false;
  }
}

/** Payloads that a signer may have signed, in base64url: the card as it is, and without empty values, which the official packages leave out. */
function payloadsOf({ signatures: _signatures, ...card }: JsonObject): readonly string[] {
  const texts = new Set([canonicalJson(card), canonicalJson(withoutEmpty(card) ?? {})]);
  return [...texts].map((text) => Buffer.from(text).toString('base64url'));
}

function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((item) => item !== undefined);
    return kept.length > 0 ? kept : undefined;
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const cleaned = withoutEmpty(item);
    return cleaned === undefined ? [] : [[key, cleaned] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
