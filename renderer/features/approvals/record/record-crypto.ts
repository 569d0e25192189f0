// Verifies decision records in the browser: SHA-256 and Ed25519 by WebCrypto, and the limits of this browser and this page.
import type { DecisionCrypto, DecisionPublicKey } from '@svc/shared/decision-record';

const encoder = new TextEncoder();

const hex = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** False on plain HTTP from another host: browsers give such pages no WebCrypto. */
export function canHash(): boolean {
  return typeof crypto !== 'undefined' && (crypto as Partial<Crypto>).subtle !== undefined;
}

/** `sha256:<hex>` of the text's UTF-8. */
export async function sha256(text: string): Promise<string> {
  return `sha256:${hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)))}`;
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const decoded = atob(text);
    // One spelling per signature, as on the server.
    if (btoa(decoded) !== text) return undefined;
    return Uint8Array.from(decoded, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function derOfPem(pem: string): Uint8Array<ArrayBuffer> | undefined {
  return bytesOfBase64(pem.replace(/-----[^-]+-----/g, '').replace(/\s+/g, ''));
}

/** The key for `verify`; undefined where the browser has no Ed25519. Rejects for a key whose id is wrong. */
export async function importKey({ public_key_pem, key_id }: DecisionPublicKey): Promise<CryptoKey | undefined> {
  const der = derOfPem(public_key_pem);
  if (!der) throw new Error('The public key of the server cannot be read.');
  const id = `sha256:${hex(await crypto.subtle.digest('SHA-256', der)).slice(0, 16)}`;
  if (id !== key_id) throw new Error(`The public key of the server has the id ${id}, and is published as ${key_id}.`);
  try {
    return await crypto.subtle.importKey('spki', der, { name: 'Ed25519' }, false, ['verify']);
  } catch {
    return undefined;
  }
}

export interface RecordKey {
  readonly keyId: string;
  /** Undefined: this browser cannot check signatures. */
  readonly key: CryptoKey | undefined;
}

/** Without a key signatures count as valid: the caller has to report that they were not checked. */
export function decisionCrypto({ keyId, key }: RecordKey): DecisionCrypto {
  return {
    hash: sha256,
    async verify({ text, signature, keyId: signedBy }) {
      if (signedBy !== keyId) return 'unknown_key';
      if (!key) return 'valid';
      const bytes = bytesOfBase64(signature);
      const valid = bytes !== undefined && (await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes, encoder.encode(text)));
      return valid ? 'valid' : 'invalid';
    },
  };
}
