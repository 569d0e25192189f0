// Tool type `webhook-callback`: POSTs tool protocol v1; the tool answers at once, or accepts and answers later: by a callback, or when it is polled.
import { isUnavailable } from '@svc/shared/errors';
import { trimEnd } from '@svc/shared/trim-end';
import { CallError, type ToolReply } from '../../engine/ports.ts';
import type { ExchangeDeps } from '../http/exchange.ts';
import { postRequest, readHttpReply, type CallbackOffer } from '../protocol/http-exchange.ts';
import { outputOf } from '../protocol/reply.ts';
import { TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import { toolTitle, type RuntimeDeps, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { closeCallback, openCallback, closedCallbacks } from './callback-records.ts';
import { newCallbackToken, sealTexts, tokenHash } from './callback-token.ts';
import { waitForReply } from './wait-for-reply.ts';

const ACCEPTED = 202;

export type WebhookToolDeps = ExchangeDeps & Pick<RuntimeDeps, 'random' | 'store' | 'log' | 'callbackUrl'>;

export function createWebhookToolRuntime(deps: WebhookToolDeps): ToolRuntime {
  const answered = (output: string) => ({ output, contractVersion: TOOL_CONTRACT_VERSION });
  return {
    type: 'webhook-callback',
    async run(call) {
      const base = deps.callbackUrl();
      if (base === undefined) return answered(await converse(deps, call));
      const callback = { url: callbackUrl(base, call.requestId), token: newCallbackToken() };
      const early = await openRecord(deps, call, callback);
      if (early) return answered(outputOf(early));
      try {
        const output = await converse(deps, call, callback);
        await closeRecord(deps, call);
        return answered(output);
      } catch (error) {
        if (isFinal(error, call)) await closeRecord(deps, call);
        throw error;
      }
    },
  };
}

function callbackUrl(base: string, requestId: string): string {
  return `${trimEnd(base, '/')}/v1/tool-callbacks/${encodeURIComponent(requestId)}`;
}

async function converse(deps: WebhookToolDeps, call: ToolRun, callback?: CallbackOffer): Promise<string> {
  const response = await postRequest(deps, call, callback);
  if (response.status !== ACCEPTED) return readHttpReply(deps, call, response);
  response.discard();
  const received = async () => (await closedCallbacks.get(deps.store, call.requestId).catch(unlessAway))?.reply;
  return waitForReply(deps, call, callback ? { received } : {});
}

/** An outage of the database only delays the reply: the tool has received the request. */
function unlessAway(error: unknown): undefined {
  if (!isUnavailable(error)) throw error;
}

/** Nobody will ask again: not this process, and none that takes the run over. */
function isFinal(error: unknown, { attempt, settings }: ToolRun): boolean {
  if (!(error instanceof CallError) || error.code === 'canceled') return false;
  return !error.retryable || attempt >= settings.retry.maxAttempts;
}

/** Answers with the reply when it has already arrived. */
async function openRecord(deps: WebhookToolDeps, call: ToolRun, { token }: CallbackOffer): Promise<ToolReply | undefined> {
  const { tool, requestId, stream, deadline, attempt, settings, credentials } = call;
  const more = attempt < settings.retry.maxAttempts ? settings.retry.maxBackoffMs : 0;
  try {
    return await openCallback(deps.store, requestId, {
      stream,
      tool: `${tool.namespace}/${tool.name}`,
      token: { hash: tokenHash(token), sealed: sealTexts(credentials.secrets, token) },
      expiresAt: deadline + more,
    });
  } catch (error) {
    throw new CallError('execution_failed', `the callback of ${toolTitle(tool)} could not be recorded, so the call was not made`, {
      retryable: true,
      reason: 'store_unavailable',
      cause: error,
    });
  }
}

/** The outcome of the call is known; a record that is left is swept when its time is up. */
async function closeRecord({ store, log }: WebhookToolDeps, { requestId, stream, tool }: ToolRun): Promise<void> {
  await closeCallback(store, requestId, stream).catch((error: unknown) => {
    log.warn({ err: error, tool: `${tool.namespace}/${tool.name}` }, 'the record of a tool callback could not be closed; it will expire');
  });
}
