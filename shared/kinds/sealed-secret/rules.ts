// Rules of SealedSecret: checks that need no key. The controller checks that entries decrypt.
import { isBase64 } from '../../base64.ts';
import type { FieldError } from '../../errors.ts';
import { defined } from '../clean.ts';
import { atKey } from '../../path-text.ts';
import type { WrittenSealedSecretSpec } from './schema.ts';

export function normalizeSealedSecret(spec: WrittenSealedSecretSpec) {
  return defined({
    ...spec,
    encryptedData:
      spec.encryptedData &&
      Object.fromEntries(
        Object.entries(spec.encryptedData).map(([key, entry]) => [
          key,
          { keyId: entry.keyId.trim(), wrappedKey: entry.wrappedKey.trim(), ciphertext: entry.ciphertext.trim() },
        ]),
      ),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type SealedSecretSpec = ReturnType<typeof normalizeSealedSecret>;

export function validateSealedSecret(spec: SealedSecretSpec): FieldError[] {
  return Object.entries(spec.encryptedData ?? {}).flatMap(([key, entry]) => [
    ...(key.trim() === '' ? [{ path: 'spec.encryptedData', message: 'must not hold an entry with a blank key' }] : []),
    ...base64(`${atKey('spec.encryptedData', key)}.wrappedKey`, entry.wrappedKey),
    ...base64(`${atKey('spec.encryptedData', key)}.ciphertext`, entry.ciphertext),
  ]);
}

function base64(path: string, value: string): FieldError[] {
  return value === '' || isBase64(value) ? [] : [{ path, message: 'must be base64 with the standard alphabet, padded, on one line' }];
}
