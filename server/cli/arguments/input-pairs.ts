// Input values given as KEY=VALUE, or as a map in a file.
import { parse } from 'yaml';
import { isObject } from '@svc/shared/json';
import { usageError } from '../program/exit-codes.ts';
import { readGivenText, type Terminal } from '../program/terminal.ts';

export function inputFromPairs(pairs: readonly string[], flag = '--input', form = 'KEY=VALUE'): Record<string, string> {
  return Object.fromEntries(pairs.map((text) => pairOf(text, flag, form)));
}

export function pairOf(text: string, flag: string, form: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${flag} ${text} is not ${form}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A YAML or JSON map from a file, or from standard input for `-`. */
export async function readInputMap(terminal: Terminal, path: string): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = parse(await readGivenText(terminal, path));
  if (!isObject(value)) throw usageError(`${path} is not a map of input values`);
  return value;
}
