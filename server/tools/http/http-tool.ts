// Tool type `http`: POSTs the input as JSON to the tool's endpoint and gives the text of the answer to the model.
import { readJson } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import type { EgressResponse } from '../../egress/egress.ts';
import { isSuccess } from '../../egress/http-status.ts';
import { readText } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { OUTPUT_MAX_BYTES, toolTitle, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { endpointOf } from '../tool-settings.ts';
import { sendToTool, statusError, TEXT_TYPES, type ExchangeDeps } from './exchange.ts';

const JSON_TYPE = /^[\w.-]+\/([\w.-]+\+)?json\b/i;

export function createHttpToolRuntime(deps: ExchangeDeps): ToolRuntime {
  return {
    type: 'http',
    async run(call) {
      const response = await post(deps, call);
      if (!isSuccess(response.status)) throw await statusError(deps, call, response);
      return { output: await readAnswer(response, toolTitle(call.tool)) };
    },
  };
}

function post(deps: ExchangeDeps, call: ToolRun): Promise<EgressResponse> {
  return sendToTool(deps, call, {
    method: 'POST',
    url: endpointOf(call.tool),
    headers: httpHeaders(call),
    body: JSON.stringify(call.input),
  });
}

export function httpHeaders({ requestId }: Pick<ToolRun, 'requestId'>): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    'idempotency-key': requestId,
  };
}

async function readAnswer(response: EgressResponse, title: string): Promise<string> {
  const type = response.headers['content-type'] ?? '';
  if (type !== '' && !TEXT_TYPES.test(type)) {
    response.discard();
    throw notText(title, `answered with ${type.split(';', 1)[0]?.slice(0, 80)}, and only text can be given to a model`);
  }
  // The tool has acted already; asking again would not make its answer smaller.
  const text = await readText(response, { maxBytes: OUTPUT_MAX_BYTES, retryable: false, what: title });
  if (text.includes('\0')) throw notText(title, 'answered with binary data, and only text can be given to a model');
  if (JSON_TYPE.test(type) && text.trim() !== '' && passedLimit(text, CHECKED_JSON) === undefined && readJson(text) === undefined)
    throw malformed(title, 'declared its answer as JSON, and it is not valid JSON', 'not_json');
  return text;
}

function notText(title: string, problem: string): CallError {
  return malformed(title, problem, 'not_text');
}

function malformed(title: string, problem: string, reason: string): CallError {
  return new CallError('malformed_response', `${title} ${problem}`, { retryable: false, reason });
}

/** Text with more values than this is given to the model unparsed, since parsing would hold the event loop. */
const CHECKED_JSON = { values: JSON_VALUES_MAX, depth: Infinity };
