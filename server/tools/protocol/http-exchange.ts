// Tool protocol v1 over HTTP: the request as a JSON POST, the reply from the body of its answer.
import type { EgressResponse } from '../../egress/egress.ts';
import { isSuccess } from '../../egress/http-status.ts';
import { readStart, readText } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { quote, refusal, sendToTool, statusError, type ExchangeDeps } from '../http/exchange.ts';
import { OUTPUT_MAX_BYTES, toolTitle, type ToolRun } from '../runtime.ts';
import { endpointOf } from '../tool-settings.ts';
import { readReply } from './reply.ts';
import { protocolHeaders, protocolRequest } from './request.ts';

/** An output and the envelope around it. */
const REPLY_MAX_BYTES = OUTPUT_MAX_BYTES + 64 * 1024;
const ERROR_REPLY_MAX_BYTES = 64 * 1024;

/** Where a tool may send its reply later, and what proves that it may. */
export interface CallbackOffer {
  readonly url: string;
  readonly token: string;
}

export function postRequest(deps: ExchangeDeps, call: ToolRun, callback?: CallbackOffer): Promise<EgressResponse> {
  return sendToTool(deps, call, {
    method: 'POST',
    url: endpointOf(call.tool),
    headers: postHeaders(call),
    body: JSON.stringify({ ...protocolRequest(call, call.attempt), ...(callback && { callback }) }),
    // The callback's token is a credential, and credentials leave no origin.
    followRedirects: callback ? 'same-origin' : true,
  });
}

export function postHeaders(call: Pick<ToolRun, 'requestId'>): Record<string, string> {
  return { ...protocolHeaders(call), 'content-type': 'application/json', accept: 'application/json' };
}

/** The output of an `ok` reply. Throws the CallError that the status or the reply means. */
export async function readHttpReply(deps: ExchangeDeps, call: ToolRun, response: EgressResponse): Promise<string> {
  const { status } = response;
  const title = toolTitle(call.tool);
  if (!isSuccess(status))
    throw status === 401 || status === 403 ? await statusError(deps, call, response) : await refused(deps, call, response);
  return readReply(await readText(response, { maxBytes: REPLY_MAX_BYTES, retryable: false, what: title }), title);
}

/** A tool may send its `error` or `denied` reply under a status that fits; it says more than the status. */
async function refused(deps: ExchangeDeps, call: ToolRun, response: EgressResponse): Promise<CallError> {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')) return statusError(deps, call, response);
  const start = await readStart(response, ERROR_REPLY_MAX_BYTES);
  return errorOf(start, toolTitle(call.tool)) ?? refusal(deps, call, { response, quote: quote(start, call) });
}

/** Error of an `error` or `denied` reply; undefined for text that is not such a reply. */
function errorOf(text: string, title: string): CallError | undefined {
  try {
    readReply(text, title);
    return undefined;
  } catch (error) {
    return error instanceof CallError && error.code !== 'malformed_response' ? error : undefined;
  }
}
