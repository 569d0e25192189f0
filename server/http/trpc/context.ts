// What the console's procedures are given: the same services as REST, and who asks.
import type { JsonObject } from '@svc/shared/json';
import type { StatisticsService } from '../../statistics/statistics.ts';
import type { RegistryQueries } from '../../registry/queries.ts';
import type { RequestContext } from '../../registry/registry.ts';
import type { Capability, HttpServices } from '../services.ts';

/** What a person has set for the console: small values, kept per identity. */
export interface Preferences {
  get(context: RequestContext): Promise<JsonObject>;
  /** RFC 7386 merge patch; answers with the whole. `too_large` past the bound. */
  set(context: RequestContext, patch: JsonObject): Promise<JsonObject>;
}

export interface ConsoleServices extends Pick<
  HttpServices,
  'registry' | 'watches' | 'runs' | 'access' | 'auth' | 'decisions' | 'clock' | 'log'
> {
  readonly queries: RegistryQueries;
  readonly statistics: StatisticsService;
  readonly preferences: Preferences;
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
