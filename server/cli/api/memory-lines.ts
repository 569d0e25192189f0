// Entries of a file, one JSON object a line, read as they arrive: the memory used depends on the longest line.
import { StringDecoder } from 'node:string_decoder';
import { isObject } from '@svc/shared/json';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { keyProblem } from './memory-api.ts';

/** Above a key and a value at their largest with every character escaped. */
const LINE_MAX_CHARACTERS = 2 * 1024 * 1024;

export interface EntryLine {
  /** From 1. */
  readonly line: number;
  readonly key: string;
  readonly value: string;
}

/** Throws a CliError that names the line when one is not an entry. Empty lines are left out, and those before `fromLine` are not examined. */
export async function* entryLines(chunks: AsyncIterable<unknown>, fromLine = 1): AsyncGenerator<EntryLine> {
  let line = 0;
  for await (const text of linesOf(chunks)) {
    line += 1;
    if (text.trim() !== '' && line >= fromLine) yield { line, ...entryOf(text, line) };
  }
}

async function* linesOf(chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let length = 0;
  let line = 1;
  for await (const chunk of chunks) {
    const texts = (typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer)).split('\n');
    for (const [i, text] of texts.entries()) {
      if (i > 0) {
        yield parts.join('');
        parts.length = 0;
        length = 0;
        line += 1;
      }
      length += text.length;
      if (length > LINE_MAX_CHARACTERS) throw new LineError(line, `is longer than ${LINE_MAX_CHARACTERS} characters`);
      parts.push(text);
    }
  }
  yield parts.join('') + decoder.end();
}

function entryOf(text: string, line: number): { readonly key: string; readonly value: string } {
  const value = parse(text, line);
  if (!isObject(value)) throw new LineError(line, 'is not a JSON object with a key and a value');
  for (const field of ['key', 'value']) if (typeof value[field] !== 'string') throw new LineError(line, `has no string as its ${field}`);
  const problem = keyProblem(value['key'] as string);
  if (problem !== undefined) throw new LineError(line, `has a key that ${problem}`);
  return { key: value['key'] as string, value: value['value'] as string };
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LineError(line, 'is not JSON');
  }
}

/** A line at which an import stops. */
export class LineError extends CliError {
  constructor(line: number, problem: string, cause?: CliError) {
    super(`line ${line} ${problem}`, { exitCode: cause?.exitCode ?? EXIT.failed, cause });
  }
}
