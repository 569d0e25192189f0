// The trials of models in a server, with outbound connections of their own: a server without a worker has them too.
import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { createEgress } from '../egress/create-egress.ts';
import { createModelTrials, type ModelTrials } from '../model-trials/model-trials.ts';
import { builtInProviders } from '../models/built-in-providers.ts';
import { createModelPort } from '../models/create-model-port.ts';
import type { Registry } from '../registry/registry.ts';
import { outsideFirst } from '../store/outside-first.ts';
import type { Guard } from './guard.ts';
import type { ProcessContext } from './process-context.ts';

export interface ServerTrials {
  readonly modelTrials: ModelTrials;
  close(): Promise<void>;
}

export function createTrials(
  { clock, secrets, audit, providers, guard }: ProcessContext & { readonly guard: Guard },
  registry: Registry,
  config: Config,
): ServerTrials {
  const egress = createEgress();
  const { allowPrivateModelEndpoints: allowPrivate } = config;
  const trials = createModelTrials({
    registry,
    requireReferences: ({ identity }, references) => outsideFirst(() => Promise.resolve(guard.judgeReferences?.(identity, references))),
    secrets,
    clock,
    newId: randomUUID,
    models(own) {
      const http = { secrets: own, egress, clock, allowPrivate };
      return createModelPort(http, builtInProviders(http, providers.models));
    },
  });
  return { modelTrials: audit.modelTrials(trials), close: () => egress.close() };
}
