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
}
