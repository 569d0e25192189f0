// Context of the console's procedures: the same services as REST, and the caller.
import type { RequestContext } from '../../registry/registry.ts';
import type { TakeTurn } from '../../registry/watch/watch.ts';
import type { Capability, HttpServices } from '../services.ts';

export interface ConsoleServices extends Pick<
  HttpServices,
  | 'registry'
  | 'watches'
  | 'runs'
  | 'sessions'
  | 'access'
  | 'auth'
  | 'decisions'
  | 'statistics'
  | 'preferences'
  | 'sealing'
  | 'terminals'
  | 'schedules'
  | 'experiments'
  | 'memories'
  | 'authorizer'
  | 'webhooks'
  | 'modelTrials'
  | 'a2a'
  | 'environmentKeys'
  | 'clock'
  | 'log'
> {
  readonly capabilities: () => readonly Capability[];
  readonly version: string;
  /** Changes with every build of the console: a page of another build reloads. */
  readonly build: string;
}

export interface TrpcContext {
  readonly services: ConsoleServices;
  /** The caller, in the form that services need. */
  readonly caller: RequestContext;
  /** Id of the browser sign-in that the request came with; absent for callers with a token. */
  readonly signInId?: string;
  readonly calls: CallPace;
  /** Runs a wait for a run; its signal is aborted once the connection has closed, and when this server stops. */
  readonly whileOpen: <T>(wait: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** The WebSocket that subscriptions go over; absent for calls over HTTP, which have none. */
  readonly streams?: SocketStreams;
}

export interface CallPace {
  /** Resolves when a call of this type may be worked on; returns what ends it. Throws `rate_limited` or `unavailable`. */
  begin(type: string): Promise<() => void>;
  /** Reads a page of the size that the answer still has room for, one page of a request after the other. */
  page<T>(read: (bytesMax: number) => Promise<T>): Promise<T>;
  /** Runs work that waits for another program, so that one that hangs holds up no other caller. Throws `invalid` for a call over a WebSocket. */
  waiting<T>(work: () => Promise<T>): Promise<T>;
}

/** The open subscriptions of one WebSocket. */
export interface SocketStreams {
  /** Takes a place for one more call; returns the function that releases it. Throws `rate_limited` when there is none. */
  enter(): () => void;
  /** Resolves when an item may be sent: the browser has taken most of what was sent before. Returns what lets the next one go. Rejects when the browser is gone. */
  sending(): Promise<() => void>;
  /** Runs a read of a stream in its turn. */
  readonly takeTurn: TakeTurn;
}
