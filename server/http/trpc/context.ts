// What the console's procedures are given: the same services as REST, and who asks.
import type { RequestContext } from '../../registry/registry.ts';
import type { Capability, HttpServices } from '../services.ts';

export interface ConsoleServices extends Pick<
  HttpServices,
  'registry' | 'watches' | 'runs' | 'access' | 'auth' | 'decisions' | 'statistics' | 'preferences' | 'clock' | 'log'
> {
  readonly capabilities: () => readonly Capability[];
  readonly version: string;
  /** Changes with every build of the console: a page of another one reloads. */
  readonly build: string;
}

export interface TrpcContext {
  readonly services: ConsoleServices;
  /** The caller, as the services want to know it. */
  readonly caller: RequestContext;
  /** The WebSocket that subscriptions go over; absent for calls over HTTP, which have none. */
  readonly streams?: SocketStreams;
}

/** The open subscriptions of one WebSocket. */
export interface SocketStreams {
  /** Takes a place for one more; returns what gives it back. Throws `rate_limited` when there is none. */
  enter(): () => void;
  /** Resolves when the browser has taken most of what was sent, or is gone. */
  drained(): Promise<void>;
}
