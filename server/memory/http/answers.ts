// Answers of the adapter of a Memory, checked: the shapes of the memory tools, within the limits of entries. Pure.
import { isObject, readJsonObject, type JsonObject } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import { memoryKeyProblem, memoryValueProblem } from '@svc/shared/memory-limits';
import { CallError } from '../../engine/ports.ts';
import type { Entry, EntryPage, ListQuery, ScoredEntry } from '../backend.ts';

const DEPTH_MAX = 16;

type PageQuery = Pick<ListQuery, 'prefix' | 'limit'>;

/** Each method throws CallError `malformed_response` that names what is wrong. */
export interface AnswerReader {
  created(text: string | undefined): boolean;
  value(text: string | undefined): string | undefined;
  /** False where there was no such entry. */
  removal(text: string | undefined): boolean;
  page(text: string | undefined, query: PageQuery): EntryPage;
  results(text: string | undefined, limit: number): ScoredEntry[];
  malformed(problem: string): CallError;
}

/** `title` names the Memory. */
export function answerReader(title: string): AnswerReader {
  const malformed = (problem: string) =>
    new CallError('malformed_response', `the adapter of ${title} ${problem}`, { retryable: false, reason: 'memory_answer' });
  const objectIn = (text: string | undefined): JsonObject => {
    const parsed = parsedObject(text ?? '');
    if (parsed) return parsed;
    throw malformed('did not answer with a JSON object');
  };
  const entryOf = (item: unknown): Entry => {
    if (!isObject(item) || typeof item['key'] !== 'string' || typeof item['value'] !== 'string')
      throw malformed('sent an entry without key and value as strings');
    const { key, value } = item as unknown as Entry;
    const problem = memoryKeyProblem(key) ?? memoryValueProblem(value);
    if (problem !== undefined) throw malformed(`sent an entry whose key or value ${problem}`);
    return { key, value };
  };
  const itemsOf = (items: unknown, { field, limit }: { field: string; limit: number }): unknown[] => {
    if (!Array.isArray(items)) throw malformed(`sent no list "${field}"`);
    if (items.length > limit) throw malformed(`sent ${items.length} ${field} where at most ${limit} were requested`);
    return items;
  };
  return {
    malformed,
    created(text) {
      const { created } = objectIn(text);
      if (typeof created !== 'boolean') throw malformed('sent a "created" that is not a boolean');
      return created;
    },
    value(text) {
      const { found, value } = objectIn(text);
      if (typeof found !== 'boolean') throw malformed('sent a "found" that is not a boolean');
      if (!found) return undefined;
      if (typeof value !== 'string') throw malformed('sent no "value" that is a string');
      const problem = memoryValueProblem(value);
      if (problem !== undefined) throw malformed(`sent a value that ${problem}`);
      return value;
    },
    removal(text) {
      if (text === undefined) return false;
      if (text.trim() === '') return true;
      const { deleted, found } = objectIn(text);
      return deleted !== false && found !== false;
    },
    page(text, { prefix, limit }) {
      const { entries, continue: next } = objectIn(text);
      const page = itemsOf(entries, { field: 'entries', limit }).map(entryOf);
      // Entries of a prefix may be deleted with it.
      if (!page.every(({ key }) => key.startsWith(prefix))) throw malformed('sent an entry whose key does not begin with the prefix');
      if (next === undefined || next === null || next === '') return { entries: page, next: undefined };
      if (typeof next !== 'string') throw malformed('sent a "continue" that is not a string');
      const problem = memoryKeyProblem(next);
      if (problem !== undefined) throw malformed(`sent a "continue" that ${problem}`);
      return { entries: page, next };
    },
    results(text, limit) {
      return itemsOf(objectIn(text)['results'], { field: 'results', limit }).map((item) => {
        const entry = entryOf(item);
        const { score } = item as { score?: unknown };
        if (typeof score !== 'number' || !Number.isFinite(score)) throw malformed('sent a result without a score');
        return { ...entry, score };
      });
    },
  };
}

function parsedObject(text: string): JsonObject | undefined {
  if (passedLimit(text, { values: JSON_VALUES_MAX, depth: DEPTH_MAX }) !== undefined) return undefined;
  return readJsonObject(text) as JsonObject | undefined;
}
