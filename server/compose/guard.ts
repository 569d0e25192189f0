// The authorizer of a server, if there is one: a function of the program that embeds it, or an address of the operator.
import { createAuthorizer, type Authorize, type Authorizer } from '../authorizer/authorizer.ts';
import { guardServices, judgeReferencesBy, judgeRemovalsBy, type GuardedServices } from '../authorizer/guard.ts';
import { createHttpAuthorizer } from '../authorizer/http-authorizer.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { JudgeReferences, JudgeRemovals } from '../registry/registry.ts';

export interface Guard {
  readonly authorizer: Authorizer | undefined;
  /** For the registry, which every write goes through. */
  readonly judgeReferences: JudgeReferences | undefined;
  readonly judgeRemovals: JudgeRemovals | undefined;
  /** The services as surfaces get them. */
  readonly guard: (services: GuardedServices) => GuardedServices;
  close(): Promise<void>;
}

export function createGuard({ authorizerUrl }: Config, { authorize }: { readonly authorize?: Authorize }, clock: Clock): Guard {
  const remote = authorize === undefined && authorizerUrl !== undefined ? createHttpAuthorizer(authorizerUrl) : undefined;
  const asked = authorize ?? remote?.authorize;
  const authorizer = asked && createAuthorizer(asked, clock);
  return {
    authorizer,
    judgeReferences: authorizer && judgeReferencesBy(authorizer),
    judgeRemovals: authorizer && judgeRemovalsBy(authorizer),
    guard: (services) => (authorizer ? guardServices(services, authorizer) : services),
    close: async () => remote?.close(),
  };
}
