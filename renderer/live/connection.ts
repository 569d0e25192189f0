// How the tab stands with its server: one small store that banners, guards and the data layer read. It holds no data of the server's.
import { useSyncExternalStore } from 'react';

export type ConnectionPhase =
  /** Not heard from the server yet. */
  | 'connecting'
  | 'live'
  /** Was live; what is shown may be old. */
  | 'reconnecting'
  /** The browser itself says that it has no network. */
  | 'offline'
  /** The server asks who this is. */
  | 'unauthorized';

export interface ConnectionState {
  readonly phase: ConnectionPhase;
  /** Since when, in milliseconds of this machine's clock. */
  readonly since: number;
  /** Until when what is shown was known to be true; undefined before the first answer. */
  readonly freshAt: number | undefined;
}

/** The server's own close code for a token that no longer counts. */
const CLOSE_UNAUTHORIZED = 4401;

export class Connection {
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  #state: ConnectionState;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#state = { phase: 'connecting', since: now(), freshAt: undefined };
  }

  readonly state = (): ConnectionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The socket is open; it counts as live once its stream says where it stands. */
  opened(): void {
    if (this.#state.phase === 'offline') this.#become('reconnecting');
  }

  /** The stream is in step with the server. */
  synced(): void {
    this.#become('live');
  }

  /** Something came: what is shown is true as of now. No listener needs to hear of it. */
  heard(): void {
    if (this.#state.phase === 'live') this.#state = { ...this.#state, freshAt: this.#now() };
  }

  closed(code: number | undefined): void {
    if (code === CLOSE_UNAUTHORIZED) return this.unauthorized();
    if (this.#state.phase === 'live') this.#become('reconnecting');
  }

  unauthorized(): void {
    this.#become('unauthorized');
  }

  /** Somebody signed in: begin again. */
  signedIn(): void {
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
    this.#state = { phase, since: now, freshAt };
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();

export function useConnection(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, connection.state);
}
