// SHA-256 and Ed25519 as decision records use them. Independent of any store: svcctl checks with it too.
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { DecisionCrypto } from '@svc/shared/decision-record';

const KEY_ID_HEX_DIGITS = 16;

export interface VerifyingKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

export function hashText(text: string): string {
  return `sha256:${sha256(text)}`;
}

/** Names a public key: `sha256:` and the first 16 hex digits of the SHA-256 of its SPKI DER. */
export function keyIdOf(key: KeyObject): string {
  return `sha256:${sha256(key.export({ type: 'spki', format: 'der' })).slice(0, KEY_ID_HEX_DIGITS)}`;
}

/** Throws when the text is not a public key in PEM, or has another algorithm. */
export function readPublicKey(pem: string): VerifyingKey {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`it is a key for ${key.asymmetricKeyType}, and decisions are signed with ed25519`);
  return { keyId: keyIdOf(key), key };
}

/** Checks against one key. */
export function decisionCrypto({ keyId, key }: VerifyingKey): DecisionCrypto {
  return {
    hash: hashText,
    verify: (signed) => {
      if (signed.keyId !== keyId) return 'unknown_key';
      const signature = Buffer.from(signed.signature, 'base64');
      // Base64 has several texts for the same bytes; only one of them is what was written.
      if (signature.toString('base64') !== signed.signature) return 'invalid';
      return verify(null, Buffer.from(signed.text, 'utf8'), key, signature) ? 'valid' : 'invalid';
    },
  };
}
