// Rules of Secret at write time: `stringData` is merged into `data`, and `***` is refused as a value.
import { isBase64 } from '../../base64.ts';
import type { FieldError } from '../../errors.ts';
import { defined } from '../clean.ts';
import { atKey } from '../../path-text.ts';
import type { WrittenSecretSpec } from './schema.ts';

/** Replacement of a value in reads. */
export const REDACTED = '***';

/** stringData joins data as base64. What cannot be a value stays behind, so that its own path is reported. */
export function normalizeSecret(spec: WrittenSecretSpec) {
  const plain = Object.entries(spec.stringData ?? {});
  const refused = plain.filter(([, value]) => value === '' || value === REDACTED);
  const merged = plain.filter(([, value]) => value !== '' && value !== REDACTED).map(([key, value]) => [key, toBase64(value)] as const);
  return defined({
    data: { ...spec.data, ...Object.fromEntries(merged) },
    stringData: refused.length > 0 ? Object.fromEntries(refused) : undefined,
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type SecretSpec = ReturnType<typeof normalizeSecret>;

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

const WRITE_ONLY = `must not be "${REDACTED}": values are write-only, so send the value itself or patch only the keys that change`;

export function validateSecret(spec: SecretSpec): FieldError[] {
  const data = Object.entries(spec.data ?? {}).flatMap(([key, value]): FieldError[] => {
    if (value === REDACTED) return [{ path: atKey('spec.data', key), message: WRITE_ONLY }];
    return isBase64(value) ? [] : [{ path: atKey('spec.data', key), message: 'must be non-empty base64; use stringData for plain text' }];
  });
  const plain = Object.entries(spec.stringData ?? {}).map(([key, value]) => ({
    path: atKey('spec.stringData', key),
    message: value === REDACTED ? WRITE_ONLY : 'must not be empty',
  }));
  return [...data, ...plain];
}

/** The spec as anyone may read it: the keys without their values. */
export function redactSecret(spec: SecretSpec): SecretSpec {
  return { data: Object.fromEntries(Object.keys(spec.data ?? {}).map((key) => [key, REDACTED])) };
}
