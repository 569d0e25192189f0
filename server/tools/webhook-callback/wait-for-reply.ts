// Waiting for the reply of a call that a tool has accepted: it sends it to this service, or is polled for it.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { trimEnd } from '@svc/shared/trim-end';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { retryAfterMs } from '../../egress/response.ts';
import type { EgressResponse } from '../../egress/egress.ts';
import { CallError, type ToolReply } from '../../engine/ports.ts';
import { sendToTool, statusError, type ExchangeDeps } from '../http/exchange.ts';
import { readHttpReply } from '../protocol/http-exchange.ts';
import { outputOf } from '../protocol/reply.ts';
import { protocolHeaders } from '../protocol/request.ts';
import type { RuntimeDeps, ToolRun } from '../runtime.ts';
import { endpointOf } from '../tool-settings.ts';

/** A tool that will call back is polled less often: it may not support polling. */
const PACES = {
  polled: { backoffMs: 200, maxBackoffMs: 5_000, jitter: 'equal' },
  calledBack: { backoffMs: 1_000, maxBackoffMs: 15_000, jitter: 'equal' },
} satisfies Record<string, BackoffRule>;

export interface Waiting {
  /** Reads the reply that this service received; absent when the tool received no callback URL. */
  readonly received?: () => Promise<ToolReply | undefined>;
}

type PollResult =
  | { readonly kind: 'done'; readonly output: string }
  | { readonly kind: 'later'; readonly waitMs: number }
  /** The tool answers such questions with an error: it will call back, or never answers. */
  | { readonly kind: 'refused'; readonly error: CallError };

export type WaitDeps = ExchangeDeps & Pick<RuntimeDeps, 'random'>;

/** The output of the reply. Throws what the reply means, or the signal's reason when no reply comes in time. */
export async function waitForReply(deps: WaitDeps, call: ToolRun, { received }: Waiting): Promise<string> {
  const pace = received ? PACES.calledBack : PACES.polled;
  let asks = true;
  let floorMs = 0;
  for (let turn = 1; ; turn += 1) {
    const pause = backoffMs(pace, { failures: turn, random: deps.random() });
    await deps.clock.sleep(Math.max(pause, floorMs), call.signal);
    const reply = await received?.();
    if (reply) return outputOf(reply);
    if (!asks) continue;
    const answer = await poll(deps, call);
    if (answer.kind === 'done') return answer.output;
    if (answer.kind === 'refused' && !received) throw answer.error;
    asks = answer.kind === 'later';
    floorMs = answer.kind === 'later' ? Math.min(answer.waitMs, call.settings.retry.maxBackoffMs) : 0;
  }
}

async function poll(deps: WaitDeps, call: ToolRun): Promise<PollResult> {
  let response: EgressResponse;
  try {
    response = await ask(deps, call);
  } catch (error) {
    // The tool keeps working behind a connection that failed.
    if (error instanceof CallError && error.retryable && !call.signal.aborted) return { kind: 'later', waitMs: 0 };
    throw error;
  }
  const { status, headers } = response;
  if (isNotYet(status)) {
    response.discard();
    return { kind: 'later', waitMs: retryAfterMs(headers['retry-after'], deps.clock.now()) ?? 0 };
  }
  if (isSuccess(status)) return { kind: 'done', output: await readHttpReply(deps, call, response) };
  const error = await statusError(deps, call, response);
  if (status === 401 || status === 403) throw error;
  return { kind: 'refused', error };
}

/** A token that expired while the tool worked is replaced once. */
async function ask(deps: WaitDeps, call: ToolRun): Promise<EgressResponse> {
  const credentials = await call.freshCredentials();
  const response = await send(deps, { ...call, credentials });
  if (response.status !== 401 || !credentials.evict) return response;
  response.discard();
  credentials.evict();
  return send(deps, { ...call, credentials: await call.freshCredentials() });
}

function send(deps: WaitDeps, call: ToolRun): Promise<EgressResponse> {
  const headers = { ...protocolHeaders(call), accept: 'application/json' };
  return sendToTool(deps, call, { method: 'GET', url: pollUrl(endpointOf(call.tool), call.requestId), headers });
}

function isNotYet(status: number): boolean {
  return status === 202 || status === 204 || status === 404 || statusVerdict(status).retryable;
}

/** `{endpoint}/{request_id}`; what the endpoint has as a query stays one. */
function pollUrl(endpoint: string, requestId: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  url.pathname = `${trimEnd(url.pathname, '/')}/${encodeURIComponent(requestId)}`;
  return url.href;
}
