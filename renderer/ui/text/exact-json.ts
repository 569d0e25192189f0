// JSON without a change of its numbers: those of JavaScript hold about 16 digits.
import { isObject, readJson } from '@svc/shared/json';

/** Strings and numbers of a JSON text. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const LONG = 16;

const isText = (token: string): boolean => token.startsWith('"');
const isChanged = (token: string): boolean => token.length >= LONG && !isText(token) && String(Number(token)) !== token;

/** The value of a JSON text; undefined for other text, and where a long number would change. */
export function readExactJson(text: string): unknown {
  const value = readJson(text);
  if (value === undefined || !/\d{16}/.test(text)) return value;
  return text.match(TOKENS)?.some(isChanged) === true ? undefined : value;
}

/** Fields of a JSON object as texts, with numbers as they are written: 1.10 is not 1.1. Undefined for other values; throws for other text. */
export function fieldTexts(text: string): Readonly<Record<string, string>> | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const plain = JSON.stringify(value);
  let mark = '#';
  while (plain.includes(mark)) mark += '#';
  const marked = JSON.parse(text.replace(TOKENS, (token) => (isText(token) ? token : `"${mark}${token}"`))) as object;
  const numbers = new RegExp(`"${mark}([^"]*)"`, 'g');
  const written = (each: unknown) =>
    typeof each === 'string' && !each.startsWith(mark) ? each : JSON.stringify(each).replace(numbers, '$1');
  return Object.fromEntries(Object.entries(marked).map(([key, each]) => [key, written(each)]));
}
