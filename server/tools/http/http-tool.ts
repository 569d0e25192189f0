// Tool type `http`: POSTs the input as JSON to the tool's endpoint and gives the text of the answer to the model.
import type { EgressResponse } from '../../egress/egress.ts';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { redact } from '../../egress/redact.ts';
import { readStart, readText, retryAfterMs } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import type { Credentials } from '../credentials.ts';
import { OUTPUT_MAX_BYTES, toolTitle, type RuntimeDeps, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { endpointOf } from '../tool-settings.ts';

const ERROR_BODY_MAX_BYTES = 4 * 1024;
const ERROR_TEXT_MAX_CHARS = 300;
const TEXT_TYPES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|problem\+json|x-www-form-urlencoded)|[\w.-]+\/[\w.+-]+\+(json|xml|yaml))/i;
const JSON_TYPE = /^[\w.-]+\/([\w.-]+\+)?json\b/i;

export type HttpToolDeps = Pick<RuntimeDeps, 'egress' | 'clock' | 'config' | 'permittedBy'>;

export function createHttpToolRuntime(deps: HttpToolDeps): ToolRuntime {
  return { type: 'http', run: async (call) => ({ output: await readAnswer(deps, call, await post(deps, call)) }) };
}

function post(deps: HttpToolDeps, call: ToolRun): Promise<EgressResponse> {
  return deps.egress.send({
    method: 'POST',
    url: endpointOf(call.tool),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/*;q=0.9, */*;q=0.5',
      'idempotency-key': call.requestId,
    },
    credentials: call.credentials.headers,
    body: JSON.stringify(call.input),
    signal: call.signal,
    allowPrivate: deps.config.allowPrivateEndpoints,
    permittedBy: deps.permittedBy,
  });
}

async function readAnswer(deps: HttpToolDeps, call: ToolRun, response: EgressResponse): Promise<string> {
  const title = toolTitle(call.tool);
  if (!isSuccess(response.status)) throw await statusError(call, response, deps.clock.now());
  const type = response.headers['content-type'] ?? '';
  if (type !== '' && !TEXT_TYPES.test(type)) {
    response.discard();
    throw notText(title, `answered with ${type.split(';', 1)[0]?.slice(0, 80)}, and only text can be given to a model`);
  }
  // The tool has acted already; asking again would not make its answer smaller.
  const text = await readText(response, { maxBytes: OUTPUT_MAX_BYTES, retryable: false, what: title });
  if (text.includes('\0')) throw notText(title, 'answered with binary data, and only text can be given to a model');
  if (JSON_TYPE.test(type) && text.trim() !== '' && !isJson(text))
    throw malformed(title, 'called its answer JSON, and it is not', 'not_json');
  return text;
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

async function statusError(call: ToolRun, response: EgressResponse, now: number): Promise<CallError> {
  const { status, headers } = response;
  const verdict = statusVerdict(status);
  const wait = retryAfterMs(headers['retry-after'], now);
  const quote = await quoted(response, call.credentials);
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
