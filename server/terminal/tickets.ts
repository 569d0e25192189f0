// Tickets of terminals: each admits one socket of its owner, once and soon.
import { randomBytes } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';

export const TICKET_MS = 30_000;
/** Tickets that wait to be used. */
const TICKETS_MAX = 256;

interface Waiting<Content> {
  readonly content: Content;
  readonly expiresAt: number;
}

export class Tickets<Content> {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting<Content>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 256 random bits. Throws `rate_limited` while too many wait. */
  issue(content: Content): string {
    const now = this.#clock.now();
    for (const [ticket, { expiresAt }] of this.#waiting) if (expiresAt <= now) this.#waiting.delete(ticket);
    if (this.#waiting.size >= TICKETS_MAX)
      throw new ServiceError('rate_limited', 'Too many terminals are being opened; try again in a few seconds', { retryAfterSeconds: 5 });
    const ticket = randomBytes(32).toString('base64url');
    this.#waiting.set(ticket, { content, expiresAt: now + TICKET_MS });
    return ticket;
  }

  /** Undefined for a ticket that was used, has expired, or never was. */
  redeem(ticket: string): Content | undefined {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return waiting !== undefined && waiting.expiresAt > this.#clock.now() ? waiting.content : undefined;
  }
}
