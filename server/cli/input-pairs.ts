// Input values given as KEY=VALUE, or as a map in a file.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject } from '@svc/shared/json';
import { CliError, usageError } from './exit-codes.ts';
import { readAll, type Terminal } from './terminal.ts';

export function inputFromPairs(pairs: readonly string[], flag = '--input', form = 'KEY=VALUE'): Record<string, string> {
  return Object.fromEntries(pairs.map((text) => pairOf(text, flag, form)));
}

export function pairOf(text: string, flag: string, form: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${flag} ${text} is not ${form}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A YAML or JSON map from a file, or from standard input for `-`. */
export async function readInputMap({ cwd, stdin }: Terminal, path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = path === '-' ? await readAll(stdin) : await readInputFile(resolve(cwd, path));
  const value: unknown = parse(text);
  if (!isObject(value)) throw usageError(`${path} is not a map of input values`);
  return value;
}

async function readInputFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  });
}
