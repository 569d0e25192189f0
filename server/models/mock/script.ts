// The script language of the mock model: text in a ModelEndpoint's options → checked steps. Pure. Documented in docs/mock-model.md.
import { parse } from 'yaml';
import { parseDuration } from '@svc/shared/duration';
import { isObject, readJson } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import type { CallErrorCode } from '../../engine/ports.ts';

interface ScriptedToolCall {
  readonly tool: string;
  /** The argument text exactly as the model would write it. */
  readonly arguments: string;
}

export interface ScriptedError {
  readonly code: CallErrorCode;
  readonly retryable: boolean;
  readonly message?: string;
  readonly reason?: string;
  readonly retryAfterMs?: number;
  /** Number of first calls of this step that fail; absent: all. */
  readonly times?: number;
}

export interface MockStep {
  readonly text: string;
  readonly toolCalls: readonly ScriptedToolCall[];
  readonly error?: ScriptedError;
  readonly delayMs: number;
  /** Number of pieces in which the text is streamed. */
  readonly pieces: number;
  readonly pieceDelayMs: number;
  readonly usage?: { readonly input: number; readonly output: number };
  readonly finish?: string;
  /** Never answers; only an abort or the timeout ends the call. */
  readonly hang: boolean;
  /** Also plays every step after it. */
  readonly repeat: boolean;
  /** Text that the input must contain for this case to be played; only within `cases`. */
  readonly when?: string;
  /** Played in place of this step: the first whose `when` is in the input, or that has none. */
  readonly cases?: readonly MockStep[];
}

/** Thrown by parseScript; `path` is inside the script, such as `[2].error`. */
export class ScriptError extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Retryability of each error class when the script does not say. */
const ERRORS: Readonly<Record<CallErrorCode, boolean>> = {
  invalid_input: false,
  unsupported_tool: false,
  runtime_policy_invalid: false,
  isolation_unavailable: false,
  permission_denied: false,
  secret_resolution_failed: false,
  timeout: true,
  canceled: false,
  execution_failed: true,
  auth_invalid: false,
  auth_forbidden: false,
  egress_blocked: false,
  rate_limited: true,
  malformed_response: true,
  model_not_found: false,
};

const STEP_KEYS = [
  'text',
  'tool',
  'input',
  'arguments',
  'tools',
  'error',
  'delay',
  'pieces',
  'piece_delay',
  'usage',
  'finish',
  'hang',
  'repeat',
  'when',
  'cases',
];
const CALL_KEYS = ['tool', 'input', 'arguments'];
const ERROR_KEYS = ['code', 'message', 'reason', 'retryable', 'retry_after', 'times'];

/** Parsed on the event loop, where YAML takes microseconds for each token. */
const YAML_MAX_CHARS = 32 * 1024;
const JSON_LIMITS = { values: JSON_VALUES_MAX, depth: 64 };

/** A value that begins like a YAML or JSON list or map is a script; anything else, also a placeholder, is one answer in plain text, given at every step. */
export function parseScript(source: string): readonly MockStep[] {
  if (!/^\s*(-\s|\[|\{(?!\{))/.test(source)) return [{ ...textStep(source), repeat: true }];
  const steps = parseJson(source) ?? parseYaml(source);
  return (Array.isArray(steps) ? (steps as unknown[]) : [steps]).map((step, index) => parseStep(step, `[${index}]`));
}

/** Undefined for a text that is not JSON. */
function parseJson(source: string): unknown {
  if (passedLimit(source, JSON_LIMITS) !== undefined) return undefined;
  return readJson(source) ?? undefined;
}

function parseYaml(source: string): unknown {
  if (source.length > YAML_MAX_CHARS)
    throw new ScriptError('', `must be at most ${YAML_MAX_CHARS} characters of YAML, not ${source.length}; make it shorter, or write JSON`);
  try {
    return parse(source, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScriptError('', `is neither YAML nor JSON: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`);
  }
}

function textStep(text: string): MockStep {
  return { text, toolCalls: [], delayMs: 0, pieces: 1, pieceDelayMs: 0, hang: false, repeat: false };
}

function parseStep(value: unknown, path: string): MockStep {
  if (typeof value === 'string' || typeof value === 'number') return textStep(String(value));
  const step = object(value, { path, keys: STEP_KEYS });
  const error = parseError(step['error'], `${path}.error`);
  const usage = parseUsage(step['usage'], `${path}.usage`);
  return {
    text: step['text'] === undefined ? '' : text(step['text'], `${path}.text`),
    toolCalls: parseToolCalls(step, path),
    ...(error && { error }),
    delayMs: duration(step['delay'], `${path}.delay`) ?? 0,
    pieces: Math.max(1, count(step['pieces'], `${path}.pieces`) ?? 1),
    pieceDelayMs: duration(step['piece_delay'], `${path}.piece_delay`) ?? 0,
    ...(usage && { usage }),
    ...(step['finish'] !== undefined && { finish: text(step['finish'], `${path}.finish`) }),
    hang: flag(step['hang'], `${path}.hang`),
    repeat: flag(step['repeat'], `${path}.repeat`),
    ...(step['when'] !== undefined && { when: text(step['when'], `${path}.when`) }),
    ...(step['cases'] !== undefined && { cases: parseCases(step['cases'], `${path}.cases`) }),
  };
}

function parseCases(value: unknown, path: string): MockStep[] {
  if (!Array.isArray(value) || value.length === 0) throw new ScriptError(path, 'must be a list of at least one step');
  return value.map((step: unknown, index) => parseStep(step, `${path}[${index}]`));
}

function parseToolCalls(step: Record<string, unknown>, path: string): ScriptedToolCall[] {
  const single = step['tool'] === undefined ? [] : [parseToolCall(pick(step, CALL_KEYS), path)];
  if (step['tools'] === undefined) return single;
  if (!Array.isArray(step['tools'])) throw new ScriptError(`${path}.tools`, 'must be a list of tool calls');
  return [...single, ...step['tools'].map((call: unknown, i) => parseToolCall(call, `${path}.tools[${i}]`))];
}

function parseToolCall(value: unknown, path: string): ScriptedToolCall {
  if (typeof value === 'string') return { tool: value, arguments: '{}' };
  const call = object(value, { path, keys: CALL_KEYS });
  const raw = call['arguments'];
  return {
    tool: text(call['tool'], `${path}.tool`),
    arguments: raw === undefined ? JSON.stringify(call['input'] ?? {}) : text(raw, `${path}.arguments`),
  };
}

function parseError(value: unknown, path: string): ScriptedError | undefined {
  if (value === undefined) return undefined;
  const error = typeof value === 'string' ? { code: value } : object(value, { path, keys: ERROR_KEYS });
  const code = text(error['code'], `${path}.code`);
  if (!isErrorCode(code)) throw new ScriptError(path, `must be one of ${Object.keys(ERRORS).join(', ')}, not "${code}"`);
  const times = count(error['times'], `${path}.times`);
  const retryAfterMs = duration(error['retry_after'], `${path}.retry_after`);
  return {
    code,
    retryable: error['retryable'] === undefined ? ERRORS[code] : flag(error['retryable'], `${path}.retryable`),
    ...(error['message'] !== undefined && { message: text(error['message'], `${path}.message`) }),
    ...(error['reason'] !== undefined && { reason: text(error['reason'], `${path}.reason`) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(times !== undefined && { times }),
  };
}

function isErrorCode(word: string): word is CallErrorCode {
  return Object.hasOwn(ERRORS, word);
}

function parseUsage(value: unknown, path: string): { input: number; output: number } | undefined {
  if (value === undefined) return undefined;
  const usage = object(value, { path, keys: ['input', 'output'] });
  return { input: count(usage['input'], `${path}.input`) ?? 0, output: count(usage['output'], `${path}.output`) ?? 0 };
}

function object(value: unknown, { path, keys }: { path: string; keys: readonly string[] }): Record<string, unknown> {
  if (!isObject(value)) throw new ScriptError(path, 'must be a string or a map');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new ScriptError(`${path}.${unknown}`, `is unknown; known are ${keys.join(', ')}`);
  return value;
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}

function text(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ScriptError(path, 'must be a string');
}

function count(value: unknown, path: string): number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0)) return value;
  throw new ScriptError(path, 'must be a whole number');
}

function flag(value: unknown, path: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new ScriptError(path, 'must be true or false');
}

function duration(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined || ms < 0) throw new ScriptError(path, 'must be a duration such as 50ms or 2s');
  return ms;
}
