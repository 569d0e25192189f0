// Tool type `http`: POSTs the input as JSON to the tool's endpoint and gives the text of the answer to the model.
import type { Clock } from '../../clock.ts';
import { withDeadline } from '../../egress/deadline.ts';
import type { Egress, EgressResponse } from '../../egress/egress.ts';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { redact } from '../../egress/redact.ts';
import { readStart, readText, retryAfterMs } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { credentialsOf, type Credentials, type CredentialSources } from '../credentials.ts';
import { withRetries } from '../retry.ts';
import { toolTitle, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { callSettings, endpointOf } from '../tool-settings.ts';

const RESPONSE_MAX_BYTES = 1024 * 1024;
const ERROR_BODY_MAX_BYTES = 4 * 1024;
const ERROR_TEXT_MAX_CHARS = 300;
const TEXT_TYPES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|problem\+json|x-www-form-urlencoded)|[\w.-]+\/[\w.+-]+\+(json|xml|yaml))/i;
const JSON_TYPE = /^[\w.-]+\/([\w.-]+\+)?json\b/i;

export interface HttpToolDeps extends CredentialSources {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: () => number;
  readonly allowPrivate: boolean;
  /** What permits private addresses, for errors. */
  readonly permittedBy: string;
}

export function createHttpToolRuntime(deps: HttpToolDeps): ToolRuntime {
  return {
    type: 'http',
    async run(call) {
      const { timeoutMs, retry } = callSettings(call.tool);
      const { clock, random } = deps;
      const { signal } = call;
      const what = `call of ${toolTitle(call.tool)}`;
      return withRetries({ rule: retry, clock, random, signal, what }, async (attempt) => {
        const output = await withDeadline({ clock, timeoutMs, signal, what }, (limited) => attemptOnce(deps, call, limited));
        return { output, attempts: attempt };
      });
    },
  };
}

/** One attempt; a token that the tool no longer takes is replaced once within it. */
async function attemptOnce(deps: HttpToolDeps, call: ToolRun, signal: AbortSignal): Promise<string> {
  const credentials = await credentialsOf(call.tool, deps, signal);
  const response = await post(deps, call, { credentials, signal });
  if (response.status !== 401 || !credentials.evict) return readAnswer(deps, call, { response, credentials });
  response.discard();
  credentials.evict();
  const renewed = await credentialsOf(call.tool, deps, signal);
  return readAnswer(deps, call, { response: await post(deps, call, { credentials: renewed, signal }), credentials: renewed });
}

function post(
  deps: HttpToolDeps,
  call: ToolRun,
  { credentials, signal }: { credentials: Credentials; signal: AbortSignal },
): Promise<EgressResponse> {
  return deps.egress.send({
    method: 'POST',
    url: endpointOf(call.tool),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/*;q=0.9, */*;q=0.5',
      'idempotency-key': call.requestId,
    },
    credentials: credentials.headers,
    body: JSON.stringify(call.input),
    signal,
    allowPrivate: deps.allowPrivate,
    permittedBy: deps.permittedBy,
  });
}

interface Answered {
  readonly response: EgressResponse;
  readonly credentials: Credentials;
}

async function readAnswer(deps: HttpToolDeps, call: ToolRun, { response, credentials }: Answered): Promise<string> {
  const title = toolTitle(call.tool);
  if (!isSuccess(response.status)) throw await statusError(call, { response, credentials }, deps.clock.now());
  const type = response.headers['content-type'] ?? '';
  if (type !== '' && !TEXT_TYPES.test(type)) {
    response.discard();
    throw notText(title, `answered with ${type.split(';', 1)[0]?.slice(0, 80)}, and only text can be given to a model`);
  }
  // The tool has acted already; asking again would not make its answer smaller.
  const text = await readText(response, { maxBytes: RESPONSE_MAX_BYTES, retryable: false, what: title });
  if (text.includes('\0')) throw notText(title, 'answered with binary data, and only text can be given to a model');
  if (JSON_TYPE.test(type) && text.trim() !== '' && !isJson(text))
    throw malformed(title, 'called its answer JSON, and it is not', 'not_json');
  return redact(text, credentials.secrets);
}

function notText(title: string, problem: string): CallError {
  return malformed(title, problem, 'not_text');
}

function malformed(title: string, problem: string, reason: string): CallError {
  return new CallError('malformed_response', `${title} ${problem}`, { retryable: false, reason });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function statusError(call: ToolRun, { response, credentials }: Answered, now: number): Promise<CallError> {
  const { status, headers } = response;
  const verdict = statusVerdict(status);
  const wait = retryAfterMs(headers['retry-after'], now);
  const quote = await quoted(response, credentials);
  return new CallError(verdict.code, `${toolTitle(call.tool)} answered ${status}${quote === '' ? '' : `: ${quote}`}`, {
    retryable: verdict.retryable,
    reason: `http_${status}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** The start of what the tool said, for the model to react to. Not for refused credentials (often quoted back in part) and not for web pages. */
async function quoted(response: EgressResponse, { secrets }: Credentials): Promise<string> {
  const type = response.headers['content-type'] ?? '';
  if (response.status === 401 || response.status === 403 || !TEXT_TYPES.test(type) || /^text\/html/i.test(type)) {
    response.discard();
    return '';
  }
  const start = await readStart(response, ERROR_BODY_MAX_BYTES);
  return redact(start, secrets).replace(/\s+/g, ' ').trim().slice(0, ERROR_TEXT_MAX_CHARS);
}
