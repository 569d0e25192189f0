// Checks a call's input against the tool's input_schema: cheap checks at once, all others in threads with a deadline, so that no schema and no input
// holds the event loop. An input that does not fit comes back as a typed error that the model can react to.
import { createHash } from 'node:crypto';
import type { FieldError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { SCHEMA_MAX_CHARS, schemaCost } from '@svc/shared/kinds/tool/schema-cost';
import { LRUCache } from 'lru-cache';
import { createThreadPool, JobCrashed, JobOverdue } from '../checks/thread-pool.ts';
import { CallError, type InputChecks, type InputTool } from '../engine/ports.ts';
import { threadModule } from '../installation.ts';
import { OutsideFirst } from '../store/outside-first.ts';
import { compileSchema, type SchemaCheck } from './compiled-schema.ts';
import type { InputCheckJob, InputCheckResult } from './input-check-thread.ts';
import { toolTitle } from './runtime.ts';
import { invalidTool } from './tool-settings.ts';

/** Schemas whose measurements and compiled form are kept. */
const SCHEMAS_MAX = 500;
/** Verdicts of threads that are kept, so that a call is checked once and not at each step on its way. */
const VERDICTS_MAX = 1_000;
/** Time to keep a timeout verdict: it depends on the present load more than on the input. */
const OVERDUE_KEPT_MS = 30_000;
const INLINE_SCHEMA_MAX_CHARS = 16 * 1024;
/** Size of the schema times characters of the input: about 0.1 s in the worst case. */
const INLINE_COST_MAX = 200_000;
/** The same for looking for every problem in a thread: each problem takes memory. */
const ALL_PROBLEMS_COST_MAX = 1_000_000;

const THREADS_MAX = 2;
const WAITING_MAX = 1_000;
const HEAP_MAX_MB = 256;
const CHECK_DEADLINE_MS = 2_000;

export interface InputCheckOptions {
  /** Time that one check may take in its thread. */
  readonly deadlineMs?: number;
}

export interface ClosableInputChecks extends InputChecks {
  /** Ends the threads. Idempotent. */
  close(): Promise<void>;
}

interface KnownSchema {
  readonly schema: Record<string, unknown>;
  readonly text: string;
  readonly hash: string;
  readonly size: number;
  /** May be checked on the event loop when the input is small. */
  readonly cheap: boolean;
  /** Why no input is checked against it. */
  readonly problem: string | undefined;
  compiled?: SchemaCheck;
}

type Verdict =
  | { readonly kind: 'checked'; readonly problems: readonly FieldError[] }
  | { readonly kind: 'unusable'; readonly problem: string; readonly until?: number };

/** Whether a check may run on the event loop. */
export function isInline({ cheap, size, text }: Pick<KnownSchema, 'cheap' | 'size' | 'text'>, inputChars: number): boolean {
  return cheap && text.length <= INLINE_SCHEMA_MAX_CHARS && size * inputChars <= INLINE_COST_MAX;
}

export function createInputChecks({ deadlineMs = CHECK_DEADLINE_MS }: InputCheckOptions = {}): ClosableInputChecks {
  const pool = createThreadPool<InputCheckJob, InputCheckResult>({
    title: 'input checks',
    program: threadModule('tools/input-check-thread'),
    threadsMax: THREADS_MAX,
    deadlineMs,
    waitingMax: WAITING_MAX,
    heapMaxMb: HEAP_MAX_MB,
  });
  const schemas = createSchemas();
  const verdicts = new LRUCache<string, Verdict>({ max: VERDICTS_MAX });

  const keep = (key: string, verdict: Verdict): Verdict => {
    verdicts.set(key, verdict);
    return verdict;
  };
  const known = (key: string): Verdict | undefined => {
    const verdict = verdicts.get(key);
    return verdict?.kind === 'unusable' && verdict.until !== undefined && verdict.until < performance.now() ? undefined : verdict;
  };
  const inThread = async (question: Question): Promise<Verdict> => {
    const { schema, inputText, key } = question;
    const all = schema.size * inputText.length <= ALL_PROBLEMS_COST_MAX;
    try {
      const result = await pool.run({ schemaHash: schema.hash, schemaText: schema.text, inputText, all });
      return keep(
        key,
        'unusable' in result
          ? { kind: 'unusable', problem: `is not a usable JSON Schema: ${result.unusable}` }
          : { kind: 'checked', problems: result.problems },
      );
    } catch (error) {
      const until = performance.now() + OVERDUE_KEPT_MS;
      if (error instanceof JobOverdue)
        return keep(key, {
          kind: 'unusable',
          problem: `cannot be checked against this input within ${deadlineMs} ms; make the schema simpler`,
          until,
        });
      if (error instanceof JobCrashed)
        return keep(key, { kind: 'unusable', problem: `cannot be checked against this input: ${error.message}`, until });
      throw error;
    }
  };
  /** The verdict when it takes no waiting, else the question for a thread; undefined for a tool that takes any input. */
  const judge = (tool: InputTool, input: JsonObject): Verdict | Question | undefined => {
    const schema = schemas.of(tool);
    if (schema?.problem !== undefined) return { kind: 'unusable', problem: schema.problem };
    if (!schema) return undefined;
    const inputText = JSON.stringify(input);
    if (isInline(schema, inputText.length)) return inline(schema, input);
    const key = `${schema.hash} ${hashOf(inputText)}`;
    return known(key) ?? { kind: 'question', schema, inputText, key };
  };

  return {
    async check(tool, input) {
      const judged = judge(tool, input);
      return errorOf(tool, judged?.kind === 'question' ? await inThread(judged) : judged);
    },
    checkNow(tool, input) {
      const judged = judge(tool, input);
      if (judged?.kind === 'question') throw new OutsideFirst(async () => void (await inThread(judged)));
      return errorOf(tool, judged);
    },
    close: () => pool.close(),
  };
}

interface Question {
  readonly kind: 'question';
  readonly schema: KnownSchema;
  readonly inputText: string;
  readonly key: string;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');

function createSchemas() {
  const byObject = new WeakMap<object, KnownSchema>();
  const byHash = new LRUCache<string, KnownSchema>({ max: SCHEMAS_MAX });
  return {
    /** Undefined for a tool that takes any input. */
    of(tool: InputTool): KnownSchema | undefined {
      const schema = tool.spec.input_schema;
      if (schema === undefined) return undefined;
      const seen = byObject.get(schema);
      if (seen) return seen.text === '{}' ? undefined : seen;
      const text = JSON.stringify(schema);
      const hash = hashOf(text);
      const known = byHash.get(hash) ?? measured(schema, text, hash);
      byObject.set(schema, known);
      byHash.set(hash, known);
      return text === '{}' ? undefined : known;
    },
  };
}

const UNMEASURED = { schema: {}, text: '', hash: '', size: 0, cheap: false };

function measured(schema: Record<string, unknown>, text: string, hash: string): KnownSchema {
  if (text.length > SCHEMA_MAX_CHARS) return { ...UNMEASURED, problem: `is longer than ${SCHEMA_MAX_CHARS} characters` };
  const { size, cheap, problems } = schemaCost(schema);
  const [first] = problems;
  return { schema, text, hash, size, cheap, problem: first && `${first.path} ${first.message}`.trim() };
}

function inline(known: KnownSchema, input: JsonObject): Verdict {
  try {
    known.compiled ??= compileSchema(known.schema, { all: true });
  } catch (error) {
    return { kind: 'unusable', problem: `is not a usable JSON Schema: ${error instanceof Error ? error.message : 'unknown problem'}` };
  }
  return { kind: 'checked', problems: known.compiled(input) };
}

function errorOf(tool: InputTool, verdict: Verdict | undefined): CallError | undefined {
  if (!verdict) return undefined;
  if (verdict.kind === 'unusable') return invalidTool(tool, `spec.input_schema ${verdict.problem}`);
  const { problems } = verdict;
  if (problems.length === 0) return undefined;
  const listed = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new CallError('invalid_input', `the input does not fit the schema of ${toolTitle(tool)}: ${listed}`, {
    retryable: false,
    reason: 'schema_mismatch',
    problems,
  });
}
