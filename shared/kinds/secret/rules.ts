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
  const refused = plain.filter(([, value]) => textProblem(value) !== undefined);
  const merged = plain.filter(([, value]) => textProblem(value) === undefined).map(([key, value]) => [key, toBase64(value)] as const);
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

/** Reason why a text cannot be a value. */
function textProblem(value: string): string | undefined {
  if (value === REDACTED) return WRITE_ONLY;
  if (value === '') return 'must not be empty';
  // As UTF-8 it would become another text.
  return value.isWellFormed() ? undefined : 'must not hold an unpaired surrogate; use data for other bytes than text';
}

export function validateSecret(spec: SecretSpec): FieldError[] {
  const data = Object.entries(spec.data ?? {}).flatMap(([key, value]): FieldError[] => {
    if (value === REDACTED) return [{ path: atKey('spec.data', key), message: WRITE_ONLY }];
    return isBase64(value) ? [] : [{ path: atKey('spec.data', key), message: 'must be non-empty base64; use stringData for plain text' }];
  });
  const plain = Object.entries(spec.stringData ?? {}).flatMap(([key, value]): FieldError[] => {
    const message = textProblem(value);
    return message === undefined ? [] : [{ path: atKey('spec.stringData', key), message }];
  });
  return [...data, ...plain];
}

/** The spec as anyone may read it: the keys without their values. */
export function redactSecret(spec: SecretSpec): SecretSpec {
  return { data: Object.fromEntries(Object.keys(spec.data ?? {}).map((key) => [key, REDACTED])) };
}
