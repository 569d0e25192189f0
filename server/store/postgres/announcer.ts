// Sends wake-ups to other processes and receives theirs, over one connection of its own (NOTIFY, LISTEN).
// Reads the newest change now and then, for all readers of this process whose notices were lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import pg from 'pg';
import type { Broadcast, CommitNotice } from '../store.ts';
import { closeWithin } from './connections.ts';
import { BROADCAST_CHANNELS, broadcastAudience, CHANGES_CHANNEL, noticeTexts, parseNotice, WORK_CHANNEL } from './notice.ts';
import type { NoticeText } from './notice.ts';
import { processIdOf } from './pooler.ts';
import { readHead } from './statements/changes.ts';

const RETRY: BackoffRule = { backoffMs: 100, maxBackoffMs: 5_000, jitter: 'equal' };
/** A connection this old has proven itself: the next loss begins with the shortest pause. */
const PROVEN_MS = 10_000;
/** Names kept for the next message; past this the others find out by polling. */
const PENDING_MAX = 20_000;
/** Broadcasts kept for the next message, about 4 MiB; later ones are dropped. */
const BROADCASTS_MAX = 600;
/** Interval at which the newest change is read, which also shows a connection that no longer answers. */
const CHECK_MS = 5_000;
/** Announcements need not be durable. */
const SETTINGS = `SET synchronous_commit = off; LISTEN ${WORK_CHANNEL}; LISTEN ${BROADCAST_CHANNELS.everybody}`;
const READER_SETTINGS = `${SETTINGS}; LISTEN ${CHANGES_CHANNEL}; LISTEN ${BROADCAST_CHANNELS.readers}`;
const SEND = 'SELECT pg_notify(n.channel, n.text) FROM unnest($1::text[], $2::text[]) AS n (channel, text)';
/** Between two messages of one process: each wakes every process that listens, so notices in quick succession share one. */
const SPACING_MS = 5;
/** Spacing under load, when every pause ends with new notices: a longer delay, and fewer wake-ups of all processes. */
const BUSY_SPACING_MS = 20;

export interface AnnouncerOptions {
  readonly config: pg.ClientConfig;
  /** Receives notices of changes, journals and event streams, and broadcasts to readers, besides those of work and signals. */
  readonly listensToChanges: boolean;
  /** Another process has committed. */
  readonly onNotice: (notice: CommitNotice) => void;
  /** Another process has sent a broadcast. */
  readonly onBroadcast: (message: Broadcast) => void;
  /** The newest change, now and then. */
  readonly onHead: (head: number) => void;
  /** Notices arrive again after a time in which any may have been missed. */
  readonly onResume: (head: number) => void;
  /** In [0, 1); spreads the attempts of many processes. */
  readonly random: () => number;
}

interface Pending {
  head: number;
  readonly queues: Set<string>;
  readonly signalled: Set<string>;
  readonly journals: Set<string>;
  readonly events: Set<string>;
}

/** A connection that listens. Wrapped, as a promise of a promise would wait for both. */
interface ListenConnection {
  /** The newest change once it listened. */
  readonly head: number;
  readonly ended: Promise<void>;
}

function nothing(): Pending {
  return { head: 0, queues: new Set(), signalled: new Set(), journals: new Set(), events: new Set() };
}

function ignore(): void {
  // The end of the connection follows, and the next one is made then.
}

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #stopped = new AbortController();
  #loop: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #pending = nothing();
  #broadcasts: NoticeText[] = [];
  #sending = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Resolves after the first attempt to connect, however it ended. */
  async start(): Promise<void> {
    if (this.#loop || this.#stopped.signal.aborted) return;
    const first = await this.#connect();
    this.#loop = this.#run(first);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const client = this.#client;
    if (client) await closeWithin(client.end(), () => [client]);
    await this.#loop;
  }

  announce(notice: CommitNotice): void {
    this.#keep(notice);
    void this.#send();
  }

  broadcast(messages: readonly Broadcast[]): void {
    const room = this.#client ? BROADCASTS_MAX - this.#broadcasts.length : 0;
    for (const { audience, text } of messages.slice(0, Math.max(0, room))) {
      this.#broadcasts.push({ channel: BROADCAST_CHANNELS[audience], text });
    }
    void this.#send();
  }

  #keep(notice: CommitNotice): void {
    const pending = this.#pending;
    pending.head = Math.max(pending.head, notice.head);
    for (const part of ['queues', 'signalled', 'journals', 'events'] as const) {
      if (pending[part].size < PENDING_MAX) for (const name of notice[part]) pending[part].add(name);
    }
  }

  /** One message in flight at a time; notices that arrive meanwhile go into the next. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    let underWay = nothing();
    let spacingMs = SPACING_MS;
    try {
      for (let client = this.#client; client && (this.#broadcasts.length > 0 || isAny(this.#pending)); client = this.#client) {
        underWay = this.#pending;
        this.#pending = nothing();
        // Broadcasts first: live text arrives before the notice of its record.
        const notices = [...this.#broadcasts, ...noticeTexts(underWay)];
        this.#broadcasts = [];
        const values = [notices.map(({ channel }) => channel), notices.map(({ text }) => text)];
        await client.query({ name: 'svc_notify', text: SEND, values });
        await sleep(spacingMs, undefined, { ref: false });
        spacingMs = BUSY_SPACING_MS;
      }
    } catch {
      // The connection is lost: the next one sends its notices.
      this.#keep(underWay);
    } finally {
      this.#sending = false;
    }
  }

  async #run(first: ListenConnection | undefined): Promise<void> {
    const { signal } = this.#stopped;
    let made = first;
    let failures = 1;
    while (!signal.aborted) {
      const since = performance.now();
      await made?.ended;
      failures = performance.now() - since > PROVEN_MS ? 1 : failures + 1;
      const pauseMs = backoffMs(RETRY, { failures, random: this.#options.random() });
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(ignore);
      if (signal.aborted) return;
      made = await this.#connect();
      if (made) this.#options.onResume(made.head);
    }
  }

  #receive({ channel, payload: text = '' }: pg.Notification): void {
    const audience = broadcastAudience(channel);
    if (audience) return this.#options.onBroadcast({ audience, text });
    const notice = parseNotice(text);
    if (notice) this.#options.onNotice(notice);
  }

  async #check(client: pg.Client): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted && this.#client === client) {
      await sleep(CHECK_MS, undefined, { signal, ref: false }).catch(ignore);
      if (signal.aborted || this.#client !== client) return;
      await readHead(client).then(this.#options.onHead, () => client.connection.stream.destroy());
    }
  }

  /** Undefined when no connection could be made. */
  async #connect(): Promise<ListenConnection | undefined> {
    const client = new pg.Client(this.#options.config);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('error', ignore);
    client.on('notification', (message) => {
      // Its own announcements come back on the connection that made them.
      if (message.processId !== processIdOf(client)) this.#receive(message);
    });
    let head: number;
    try {
      await client.connect();
      await client.query(this.#options.listensToChanges ? READER_SETTINGS : SETTINGS);
      head = await readHead(client);
    } catch {
      await client.end().catch(ignore);
      return undefined;
    }
    if (this.#stopped.signal.aborted) {
      await client.end().catch(ignore);
      return undefined;
    }
    this.#client = client;
    void this.#send();
    void this.#check(client);
    return {
      head,
      ended: ended.then(() => {
        this.#client = undefined;
      }),
    };
  }
}

function isAny({ head, queues, signalled, journals, events }: Pending): boolean {
  return head > 0 || queues.size + signalled.size + journals.size + events.size > 0;
}
