// Sends audit events to an address of the operator: each at least once, signed as deliveries of profile generic are, from a spool on disk.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { timeLimit, type Clock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { AuditSpool } from './audit-spool.ts';

export interface AuditWebhook {
  readonly url: string;
  readonly secret: string;
}

/** Events of this long are sent together. */
const CUT_MS = 1_000;
const ANSWER_MAX_MS = 10_000;
const BACKOFF: BackoffRule = { backoffMs: 1_000, maxBackoffMs: 60_000, jitter: 'equal' };

export interface AuditSender {
  /** Sends what is in the spool once more, then stops; what is left is sent by the next process. Idempotent; never rejects. */
  close(): Promise<void>;
}

export function startAuditSender(
  spool: AuditSpool,
  { url, secret }: AuditWebhook,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): AuditSender {
  const dispatcher = new Agent({ connections: 1 });
  const ended = new AbortController();
  let failures = 0;

  const send = async (segment: string): Promise<void> => {
    const events = await spool.read(segment);
    if (events === undefined || events.length === 0) return spool.remove(segment);
    const body = JSON.stringify(events);
    const time = String(Math.floor(clock.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'x-event-id': segment,
      'x-timestamp': time,
      'x-signature': `sha256=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
    };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal: timeLimit(ANSWER_MAX_MS) });
    await answer.body.dump();
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`the audit webhook answered with status ${answer.statusCode}`);
    await spool.remove(segment);
  };
  /** Whether everything was sent. */
  const sendAll = async (): Promise<boolean> => {
    try {
      await spool.cut();
      for (const segment of await spool.segments()) await send(segment);
      if (failures > 0) log.info({ failures }, 'audit events are sent again');
      failures = 0;
      return true;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.error({ err: error }, 'audit events cannot be sent; they wait on disk');
      return false;
    }
  };
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const waitMs = (await sendAll()) ? CUT_MS : backoffMs(BACKOFF, { failures, random: Math.random() });
      await clock.sleep(waitMs, ended.signal).catch(() => undefined);
    }
  };
  const running = run();
  let closing: Promise<void> | undefined;
  const close = async () => {
    ended.abort();
    await running;
    await sendAll();
    await dispatcher.destroy();
  };
  return { close: () => (closing ??= close()) };
}
