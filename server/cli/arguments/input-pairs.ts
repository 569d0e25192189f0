// Input values given as KEY=VALUE, or as a map in a file.
import { isMap, isScalar, parseDocument } from 'yaml';
import { isObject } from '@svc/shared/json';
import { namesOf } from '../manifests/manifest-files.ts';
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

/** A YAML or JSON map from a file, or from standard input for `-`. With `numbersAsWritten` numbers are texts: 1.10 is not 1.1. */
export async function readInputMap(terminal: Terminal, path: string, numbersAsWritten = false): Promise<Readonly<Record<string, unknown>>> {
  const document = parseDocument(await readGivenText(terminal, path));
  const [problem] = document.errors;
  if (problem) throw usageError(`${namesOf([path])} is neither JSON nor YAML: ${problem.message.split('\n')[0] ?? ''}`);
  if (numbersAsWritten && isMap(document.contents))
    for (const { value } of document.contents.items) if (isScalar(value) && typeof value.value === 'number') value.value = value.source;
  const value: unknown = document.toJS();
  if (!isObject(value)) throw usageError(`${namesOf([path])} is not a map of input values`);
  return value;
}
