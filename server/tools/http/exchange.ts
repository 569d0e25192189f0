// One HTTP exchange with a tool: the request with its credentials through the egress guard, and what a refusal means. Independent of any tool type.
import type { EgressRequest, EgressResponse } from '../../egress/egress.ts';
import { statusVerdict } from '../../egress/http-status.ts';
import { redact } from '../../egress/redact.ts';
import { readStart, retryAfterMs } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { toolTitle, type RuntimeDeps, type ToolRun } from '../runtime.ts';

const ERROR_BODY_MAX_BYTES = 4 * 1024;
const ERROR_TEXT_MAX_CHARS = 300;
/** Content types that a model can read as they are. */
export const TEXT_TYPES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|problem\+json|x-www-form-urlencoded)|[\w.-]+\/[\w.+-]+\+(json|xml|yaml))/i;

export type ExchangeDeps = Pick<RuntimeDeps, 'egress' | 'clock' | 'config' | 'permittedBy'>;

type Message = Pick<EgressRequest, 'method' | 'url' | 'headers' | 'body' | 'followRedirects'>;

export function sendToTool({ egress, config, permittedBy }: ExchangeDeps, call: ToolRun, message: Message): Promise<EgressResponse> {
  return egress.send({
    ...message,
    credentials: call.credentials.headers,
    signal: call.signal,
    allowPrivate: config.allowPrivateEndpoints,
    permittedBy,
  });
}

/** Error for an answer outside 2xx. Reads the start of its body, or drops it. */
export async function statusError(deps: ExchangeDeps, call: ToolRun, response: EgressResponse): Promise<CallError> {
  return refusal(deps, call, { response, quote: await quoted(response, call) });
}

/** The same for a body that has been read. */
export function refusal(
  { clock }: ExchangeDeps,
  call: ToolRun,
  { response, quote }: { response: EgressResponse; quote: string },
): CallError {
  const { status, headers } = response;
  const { code, retryable } = statusVerdict(status);
  const wait = retryAfterMs(headers['retry-after'], clock.now());
  return new CallError(code, `${toolTitle(call.tool)} answered ${status}${quote === '' ? '' : `: ${quote}`}`, {
    retryable,
    reason: `http_${status}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** Beginning of the tool's answer, so the model can react to it. Not for refused credentials (often quoted back in part) and not for web pages. */
async function quoted(response: EgressResponse, call: ToolRun): Promise<string> {
  const type = response.headers['content-type'] ?? '';
  if (response.status === 401 || response.status === 403 || !TEXT_TYPES.test(type) || /^text\/html/i.test(type)) {
    response.discard();
    return '';
  }
  return quote(await readStart(response, ERROR_BODY_MAX_BYTES), call);
}

/** Secrets are taken out before the text is cut, so that no half of one is left. */
export function quote(text: string, { credentials }: ToolRun): string {
  return redact(text, credentials.secrets).replace(/\s+/g, ' ').trim().slice(0, ERROR_TEXT_MAX_CHARS);
}
