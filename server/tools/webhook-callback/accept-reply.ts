// A reply that a tool sends by itself: judged by its token, cleaned of the call's secrets, and handed to the run. Any process on the store can take it.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../../clock.ts';
import { redact } from '../../egress/redact.ts';
import { CallError, TOOL_REPLY_SIGNAL, type ToolReply, type ToolReplySignal } from '../../engine/ports.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { transactAgain } from '../../store/write-race.ts';
import { parseReply } from '../protocol/reply.ts';
import {
  openCallbacks,
  closedCallbacks,
  streamsOf,
  takeCallback,
  type CallbackRecord,
  type CallbackToken,
  type Documents,
} from './callback-records.ts';
import { ERROR_MAX_CHARS } from '../clean-outcome.ts';
import { isTokenOf, openTexts } from './callback-token.ts';

export interface ToolCallbacksOptions {
  readonly store: Documents;
  readonly clock: Clock;
  /** The work queue of the runs. */
  readonly queue: string;
}

interface IncomingReply {
  readonly requestId: string;
  readonly token: string | undefined;
  /** The reply as it came. Requested only when the token is right. */
  readonly read: () => Promise<unknown>;
}

export interface ToolCallbacks {
  /**
   * Ends the call with the reply; resolves when that is durable. Rejects with ServiceError `not_found` for an unknown call, `unauthorized`
   * for a wrong token, `conflict` when the call has ended or timed out; `invalid` for an invalid reply and `unavailable` when the run
   * cannot be reached just now: it may be sent again.
   */
  accept(incoming: IncomingReply): Promise<void>;
}

export function createToolCallbacks({ store, clock, queue }: ToolCallbacksOptions): ToolCallbacks {
  return {
    async accept({ requestId, token, read }) {
      const { record, secrets } = await judge({ store, now: clock.now() }, requestId, token);
      const reply = clean(parsed(await read(), record), secrets);
      const data: ToolReplySignal = { request_id: requestId, reply };
      const signal = { type: TOOL_REPLY_SIGNAL, timestamp: timestamp(clock.now()), data: { ...data } };
      const send = async (tx: StoreTransaction) => {
        if (!(await takeCallback(tx, requestId, { ...record, reply }))) throw over();
        let isAwaited = false;
        for (const stream of streamsOf(record)) {
          if (!(await tx.getWorkItem(queue, stream))) continue;
          isAwaited = true;
          await tx.sendSignal(queue, { ...signal, stream });
          await wakeItem(tx, { queue, key: stream }, clock.now());
        }
        if (!isAwaited) throw over();
      };
      await transactAgain(store, send);
    },
  };
}

interface JudgedReply {
  readonly record: CallbackRecord;
  /** Texts that must not appear in the reply. */
  readonly secrets: readonly string[];
}

async function judge(
  { store, now }: { store: Documents; now: number },
  ...[requestId, token]: [string, string | undefined]
): Promise<JudgedReply> {
  const open = await openCallbacks.get(store, requestId);
  const record = open ?? (await closedCallbacks.get(store, requestId));
  if (!record) throw new ServiceError('not_found', 'There is no tool call of this request id that waits for a reply');
  const known = token === undefined ? undefined : findToken(record, token);
  if (token === undefined || !known) throw new ServiceError('unauthorized', 'The token is not the one that came with the call');
  if (!open || record.expires_at <= now) throw over();
  return { record, secrets: [token, ...openTexts(known.sealed, token)] };
}

/** Compares with all of them, so that the time reveals nothing. */
function findToken({ tokens }: CallbackRecord, token: string): CallbackToken | undefined {
  return tokens.filter(({ hash }) => isTokenOf(hash, token))[0];
}

function over(): ServiceError {
  return new ServiceError('conflict', 'The call already has a reply, has ended, or has expired; only one reply is accepted');
}

function parsed(reply: unknown, { tool }: CallbackRecord): ToolReply {
  try {
    return parseReply(reply, `Tool "${tool}"`);
  } catch (error) {
    if (error instanceof CallError) throw new ServiceError('invalid', error.message, { cause: error });
    throw error;
  }
}

function clean(reply: ToolReply, secrets: readonly string[]): ToolReply {
  if (reply.status === 'ok') return { ...reply, output: redact(reply.output, secrets) };
  const { error } = reply;
  const reason = error.reason === undefined ? {} : { reason: redact(error.reason, secrets) };
  return { ...reply, error: { ...error, ...reason, message: redact(error.message, secrets).slice(0, ERROR_MAX_CHARS) } };
}
