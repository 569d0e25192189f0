// Tool protocol v1, the tool's side: what a reply says. Strict about shapes, lenient about further fields (docs/tools.md). Pure.
import { isObject } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import { CallError, type CallErrorCode, type ToolReply, type ToolReplyError } from '../../engine/ports.ts';

/** Codes of the tool contract; any other means execution_failed. */
export const TOOL_ERROR_CODES: ReadonlySet<string> = new Set<CallErrorCode>([
  'invalid_input',
  'unsupported_tool',
  'runtime_policy_invalid',
  'isolation_unavailable',
  'permission_denied',
  'secret_resolution_failed',
  'timeout',
  'canceled',
  'execution_failed',
  'auth_invalid',
  'auth_forbidden',
  'egress_blocked',
]);
/** Codes that stay final whatever the tool reports: a retry with the same credentials and rights does not help. */
const FINAL: ReadonlySet<CallErrorCode> = new Set(['auth_invalid', 'auth_forbidden', 'permission_denied', 'invalid_input']);
const MACHINE_WORD = /^[\w.:/-]{1,100}$/;

/** The text of an `ok` reply. Throws the CallError that an `error` or `denied` reply means, or `malformed_response`. */
export function readReply(reply: unknown, title: string): string {
  return outputOf(parseReply(reply, title));
}

/** The text of an `ok` reply; throws what another means. */
export function outputOf(reply: ToolReply): string {
  if (reply.status === 'ok') return reply.output;
  const { code, reason, retryable, message } = reply.error;
  throw new CallError(code, message, { retryable, ...(reason !== undefined && { reason }) });
}

/** Reads a reply: its JSON as text, or the value. Throws CallError `malformed_response`, which names the field. */
export function parseReply(reply: unknown, title: string): ToolReply {
  const value = typeof reply === 'string' ? parseJson(reply, title) : reply;
  if (!isObject(value)) throw malformed(title, 'is not a JSON object');
  const status = value['status'];
  if (status === 'ok') return { status, output: resultText(value['output'], title) };
  if (status === 'denied') return { status, error: denial(optionalObject(value['error'], 'error', title), title) };
  if (status !== 'error') throw malformed(title, 'has a status other than ok, error or denied');
  const error = value['error'];
  if (!isObject(error)) throw malformed(title, 'has status error and no error object');
  return { status, error: failure(error, title) };
}

function parseJson(text: string, title: string): unknown {
  // Parsing such a text would hold the event loop. Each level is a value.
  if (passedLimit(text, { values: JSON_VALUES_MAX, depth: Infinity }) !== undefined)
    throw malformed(title, `holds more than ${JSON_VALUES_MAX} values; return large results as text`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(title, 'is not JSON');
  }
}

function resultText(output: unknown, title: string): string {
  const result = optionalObject(output, 'output', title)['result'];
  if (result === undefined) return '';
  if (typeof result === 'string') return result;
  try {
    return JSON.stringify(result);
  } catch {
    throw malformed(title, 'has a result that is nested too deeply');
  }
}

function failure(error: Record<string, unknown>, title: string): ToolReplyError {
  const said = error['code'];
  if (typeof said !== 'string' || said === '') throw malformed(title, 'has an error without a code');
  const retryable = optional(error['retryable'], { type: 'boolean', name: 'error.retryable', title }) ?? false;
  const code = TOOL_ERROR_CODES.has(said) ? (said as CallErrorCode) : 'execution_failed';
  const reason = machineWord(textField(error, 'reason', title)) ?? (code === said ? undefined : machineWord(said));
  return {
    code,
    ...(reason !== undefined && { reason }),
    retryable: retryable && !FINAL.has(code),
    message: sentence(`${title} answered with the error ${code}`, error, title),
  };
}

function denial(error: Record<string, unknown>, title: string): ToolReplyError {
  const reason = machineWord(textField(error, 'reason', title)) ?? machineWord(textField(error, 'code', title)) ?? 'denied_by_tool';
  return { code: 'permission_denied', reason, retryable: false, message: sentence(`${title} refused the call`, error, title) };
}

/** The failure with the tool's message, whole: it is cut once its secrets are taken out. */
function sentence(what: string, error: Record<string, unknown>, title: string): string {
  const said = (textField(error, 'message', title) ?? '').trim();
  return said === '' ? what : `${what}: ${said}`;
}

function machineWord(word: string | undefined): string | undefined {
  return word !== undefined && MACHINE_WORD.test(word) ? word : undefined;
}

function textField(error: Record<string, unknown>, key: string, title: string): string | undefined {
  return optional(error[key], { type: 'string', name: `error.${key}`, title });
}

interface Types {
  readonly string: string;
  readonly boolean: boolean;
}

function optional<T extends keyof Types>(
  value: unknown,
  { type, name, title }: { type: T; name: string; title: string },
): Types[T] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw malformed(title, `has an ${name} that is not a ${type}`);
  return value as Types[T];
}

function optionalObject(value: unknown, name: string, title: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw malformed(title, `has an ${name} that is not an object`);
  return value;
}

/** Not retryable: the tool has already acted, and a retry would return the same reply. */
function malformed(title: string, problem: string): CallError {
  return new CallError('malformed_response', `the reply of ${title} ${problem}`, { retryable: false, reason: 'tool_protocol' });
}
