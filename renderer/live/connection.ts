// State of the tab's connection: one small store for banners, guards and the data layer. It contains no data of the server.
import { useSyncExternalStore } from 'react';

export type ConnectionPhase =
  /** No live stream yet; the server answers, or was not contacted yet. */
  | 'connecting'
  | 'live'
  /** Was live, or answered earlier and no longer does; shown data may be stale. */
  | 'reconnecting'
  /** The browser itself says that it has no network. */
  | 'offline'
  /** The server requires sign-in. */
  | 'unauthorized';

export interface ConnectionState {
  readonly phase: ConnectionPhase;
  /** Start of the phase, in milliseconds of this machine's clock. */
  readonly since: number;
  /** Time until which the shown data was current; undefined before the stream was first in step. */
  readonly freshAt: number | undefined;
  /** Failed attempts of this phase: a reason to check whether the server answers at all. */
  readonly failures: number;
}

/** The server's own close code for an invalid token. */
const CLOSE_UNAUTHORIZED = 4401;

export class Connection {
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  #state: ConnectionState;
  /** Since sign-in: a lost stream has to return, one that never opened may be impossible. */
  #hadStream = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#state = { phase: 'connecting', since: now(), freshAt: undefined, failures: 0 };
  }

  readonly state = (): ConnectionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The socket is open; it counts as live once its stream reports its position. */
  opened(): void {
    if (this.#state.phase === 'offline') this.#become('reconnecting');
  }

  /** The stream is in step with the server. */
  synced(): void {
    this.#hadStream = true;
    this.#become('live');
  }

  /** Records an arrival: the shown data is current as of now. Needs no notification. */
  received(): void {
    if (this.#state.phase === 'live') this.#state = { ...this.#state, freshAt: this.#now() };
  }

  closed(code: number | undefined): void {
    if (code === CLOSE_UNAUTHORIZED) return this.unauthorized();
    if (this.#state.phase === 'live') this.#become('reconnecting');
    // Not a loss by itself: a proxy may block streams while everything else works.
    else if (this.#state.phase === 'connecting') this.#set({ ...this.#state, failures: this.#state.failures + 1 });
  }

  /** A plain request reached no server. */
  unreachable(): void {
    if (this.#state.phase === 'connecting') this.#become('reconnecting');
  }

  /** A plain request was answered. Without an earlier stream the state is `connecting` again. */
  answered(): void {
    const lost = this.#state.phase === 'reconnecting' || this.#state.phase === 'offline';
    if (lost && !this.#hadStream) this.#become('connecting');
  }

  unauthorized(): void {
    this.#become('unauthorized');
  }

  /** A person signed in: starts again. */
  signedIn(): void {
    this.#hadStream = false;
    this.#become('connecting');
  }

  offline(): void {
    if (this.#state.phase !== 'unauthorized') this.#become('offline');
  }

  #become(phase: ConnectionPhase): void {
    if (this.#state.phase === phase) return;
    const now = this.#now();
    const wasLive = this.#state.phase === 'live';
    const freshAt = phase === 'live' || wasLive ? now : this.#state.freshAt;
    this.#set({ phase, since: now, freshAt, failures: 0 });
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();

export function useConnection(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, connection.state);
}
