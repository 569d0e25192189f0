// Terminals of a server: shells that admins open in the console, each under the identity of its owner. Independent of HTTP.
import { randomUUID } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import type { TerminalRecord, TerminalTicket } from '@svc/shared/api/terminals';
import { timestamp, type Clock } from '../clock.ts';
import { requireRole } from '../registry/authorise.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import type { TerminalSize } from './pty.ts';
import { TerminalSession, type Attachment, type SessionOptions, type Viewer } from './session.ts';
import { TICKET_MS, Tickets } from './tickets.ts';

/** Open terminals of one owner, and of the whole server. */
const OWNER_MAX = 8;
const SERVER_MAX = 32;
/** Time that a terminal stays without a page that shows it. */
const DETACHED_MS = 5 * 60_000;
/** Longest life of a terminal, and so of the token in its environment. */
const LIFE_MS = 12 * 60 * 60_000;

/** Time that a shell has to end by itself once its owner no longer counts. */
const REVOKED_HANG_UP_MS = 250;

/** A caller with the browser sign-in that identified it; absent for a caller with a token. */
interface TerminalCaller {
  readonly context: RequestContext;
  readonly signInId: string | undefined;
}

export interface TerminalRequest {
  /** Absent: a new terminal. */
  readonly id?: string | undefined;
  readonly namespace: string;
}

export interface TerminalEvent {
  readonly action: 'terminal.open' | 'terminal.close';
  readonly id: string;
  readonly identity: Identity;
  readonly requestId: string;
  readonly reason?: string;
}

interface Redemption {
  readonly caller: TerminalCaller;
  readonly ticket: string;
  readonly size: TerminalSize;
  readonly viewer: Viewer;
  /** Calls `onEnded` when the caller no longer counts, until the returned function is called. */
  readonly follow: (onEnded: () => void) => () => void;
}

export interface TerminalsOptions {
  readonly clock: Clock;
  /** Undefined: terminals are off or cannot run here, for the reason. */
  readonly open: ((owner: Identity, request: TerminalRequest, size: TerminalSize) => OpenShell) | { readonly unavailable: string };
  readonly onEvent: (event: TerminalEvent) => void;
}

/** Start of a shell, with the clean-up for its end. */
interface OpenShell extends Pick<SessionOptions, 'spawn' | 'shell'> {
  /** Idempotent. */
  readonly release: () => void;
}

interface Terminal {
  readonly id: string;
  readonly owner: string;
  readonly namespace: string;
  readonly createdAt: string;
  readonly session: TerminalSession;
}

interface Ticket {
  readonly owner: string;
  readonly request: TerminalRequest;
}

/** Two sign-ins of one user are two owners: the end of one leaves the other's terminals alone. */
const ownerOf = ({ context, signInId }: TerminalCaller): string =>
  JSON.stringify([context.identity.method, context.identity.name, signInId ?? null]);

const noSuchTerminal = (): ServiceError => new ServiceError('not_found', 'There is no such terminal; it may have ended. Open a new one');

export class TerminalService {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #tickets: Tickets<Ticket>;
  #stopped = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#tickets = new Tickets(options.clock);
  }

  /** Reason why no terminal can be opened here; undefined when one can. */
  get unavailable(): string | undefined {
    const { open } = this.#options;
    return 'unavailable' in open ? open.unavailable : undefined;
  }

  list(caller: TerminalCaller): TerminalRecord[] {
    this.#require(caller);
    return this.#ownedBy(ownerOf(caller)).map(({ id, namespace, createdAt, session }) => ({
      id,
      namespace,
      created_at: createdAt,
      attached: session.attached,
    }));
  }

  /** A ticket for one socket, within 30 seconds. Throws `not_found` for a terminal that is gone or another's, `rate_limited` for one too many. */
  ticket(caller: TerminalCaller, request: TerminalRequest): TerminalTicket {
    this.#require(caller);
    const owner = ownerOf(caller);
    if (request.id === undefined) this.#requireRoom(owner);
    else this.#find(owner, request.id);
    return { ticket: this.#tickets.issue({ owner, request }), expires_in_ms: TICKET_MS };
  }

  /** Opens the terminal of a ticket. Throws `unauthorized` for an invalid ticket. */
  attach(redemption: Redemption): Attachment & { readonly id: string } {
    const { caller, ticket, viewer, size } = redemption;
    this.#require(caller);
    const known = this.#tickets.redeem(ticket);
    const owner = ownerOf(caller);
    if (known?.owner !== owner)
      throw new ServiceError('unauthorized', 'The ticket was used, has expired or is another caller’s; request a new one');
    const { request } = known;
    const terminal = request.id === undefined ? this.#open(redemption, request) : this.#find(owner, request.id);
    return { id: terminal.id, ...terminal.session.attach(viewer, size) };
  }

  close(caller: TerminalCaller, id: string): void {
    this.#require(caller);
    void this.#find(ownerOf(caller), id).session.close('The terminal was closed');
  }

  /** Closes all and resolves when their shells are gone. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#terminals.values()].map(({ session }) => session.close('The server is shutting down')));
  }

  #require({ context }: TerminalCaller): void {
    requireRole(context, 'admin', 'a terminal');
    if (this.unavailable !== undefined) throw new ServiceError('conflict', this.unavailable);
    if (this.#stopped) throw new ServiceError('unavailable', 'The server is shutting down');
  }

  #ownedBy(owner: string): Terminal[] {
    return [...this.#terminals.values()].filter((terminal) => terminal.owner === owner);
  }

  #requireRoom(owner: string): void {
    const full = this.#terminals.size >= SERVER_MAX;
    if (!full && this.#ownedBy(owner).length < OWNER_MAX) return;
    const limit = full ? `This server has ${SERVER_MAX} open terminals` : `You have ${OWNER_MAX} open terminals`;
    throw new ServiceError('rate_limited', `${limit}, which is the limit; close one first`);
  }

  #find(owner: string, id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal?.owner !== owner) throw noSuchTerminal();
    return terminal;
  }

  #open({ caller, size, follow }: Redemption, request: TerminalRequest): Terminal {
    const { clock, open, onEvent } = this.#options;
    if ('unavailable' in open) throw new ServiceError('conflict', open.unavailable);
    const owner = ownerOf(caller);
    this.#requireRoom(owner);
    const { identity, requestId } = caller.context;
    const id = randomUUID();
    const { release, ...shell } = open(identity, request, size);
    let reason = 'The shell ended';
    const endFor = (why: string, hangUpMs?: number) => {
      reason = why;
      // A shell that ignores its hang-up holds a token that no longer counts.
      release();
      void session.close(why, hangUpMs);
    };
    const life = deadline(LIFE_MS, () => endFor('The terminal reached its maximum lifetime of 12 hours'));
    const detached = deadline(DETACHED_MS, () => endFor('No page showed the terminal for 5 minutes'));
    let unfollow: () => void = () => undefined;
    const onEnd = () => {
      for (const undo of [life.cancel, detached.cancel, unfollow, release]) undo();
      this.#terminals.delete(id);
      onEvent({ action: 'terminal.close', id, identity, requestId, reason });
    };
    const onAttached = (attached: boolean) => (attached ? detached.cancel() : detached.start());
    const session = startOr(release, () => new TerminalSession({ ...shell, onEnd, onAttached }));
    life.start();
    unfollow = follow(() => endFor('The sign-in or token that opened the terminal has ended', REVOKED_HANG_UP_MS));
    const terminal: Terminal = { id, owner, namespace: request.namespace, createdAt: timestamp(clock.now()), session };
    this.#terminals.set(id, terminal);
    onEvent({ action: 'terminal.open', id, identity, requestId });
    return terminal;
  }
}

function startOr<T>(undo: () => void, start: () => T): T {
  try {
    return start();
  } catch (error) {
    undo();
    throw error;
  }
}

function deadline(ms: number, run: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
      timer.unref();
    },
    cancel: () => clearTimeout(timer),
  };
}
