// Program of the threads that check inputs (server/checks/thread.mjs): compiles each schema once and keeps it.
import { LRUCache } from 'lru-cache';
import { compileSchema, type SchemaCheck } from './compiled-schema.ts';

const COMPILED_MAX = 100;

export interface InputCheckJob {
  readonly schemaHash: string;
  readonly schemaText: string;
  readonly inputText: string;
  /** Look for every problem, not for the first only. */
  readonly all: boolean;
}

export type InputCheckResult =
  { readonly problems: readonly { readonly path: string; readonly message: string }[] } | { readonly unusable: string };

const compiled = new LRUCache<string, SchemaCheck>({ max: COMPILED_MAX });

function checkOf({ schemaHash, schemaText, all }: InputCheckJob): SchemaCheck {
  const key = `${schemaHash} ${all}`;
  const known = compiled.get(key) ?? compileSchema(JSON.parse(schemaText) as Record<string, unknown>, { all });
  compiled.set(key, known);
  return known;
}

export function answer(job: InputCheckJob): InputCheckResult {
  let check: SchemaCheck;
  try {
    check = checkOf(job);
  } catch (error) {
    return { unusable: error instanceof Error ? error.message : 'unknown problem' };
  }
  return { problems: check(JSON.parse(job.inputText)) };
}
