// Text of one entry: its size, whether it is JSON, scores. Pure.
import { readJson } from '@svc/shared/json';

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export interface JsonValue {
  readonly value: unknown;
}

/** Objects and lists only: a number or a word is read more easily as text. Undefined for other text. */
export function jsonOf(text: string): JsonValue | undefined {
  const value = /^\s*[{[]/.test(text) ? readJson(text) : undefined;
  return value === undefined ? undefined : { value };
}

const score = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export const scoreText = (value: number): string => score.format(value);
