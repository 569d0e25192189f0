// SHA-256 and Ed25519 as bundles use them. Independent of any store: svcctl checks with it too.
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { BundleCrypto } from '@svc/shared/bundle/bundle';
import { keyIdOf } from '../decisions/decision-crypto.ts';

function publicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

export const bundleCrypto: BundleCrypto = {
  hash: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  keyIdOf(pem) {
    const key = publicKey(pem);
    return key && keyIdOf(key);
  },
  verify({ text, signature, publicKeyPEM }) {
    const key = publicKey(publicKeyPEM);
    return key !== undefined && verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
  },
};
