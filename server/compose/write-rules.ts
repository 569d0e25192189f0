// Rules at write time that depend on this server: warnings about Tools and ModelEndpoints whose calls would fail (no errors, because objects may be
// applied in any order), and the rules of Memories.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { BackendState } from '../tools/isolation/isolation-health.ts';
import { schemaError } from '../tools/schema-error.ts';
import { createToolCheck } from '../tools/runnability.ts';
import { ENGINE_MODES, type EngineName } from '../tools/isolation/isolation.ts';
import type { Clock } from '../clock.ts';
import type { ProcessConfig } from '../config.ts';
import type { ToolCheck } from '../engine/ports.ts';
import { createMemoryHooks } from '../memory/memory-hooks.ts';
import { knownModelProblem } from '../models/known-problem.ts';
import type { KindHooks } from '../registry/registry.ts';
import { createSecretLookup } from '../secrets/resolver.ts';
import type { StoreReader } from '../store/store.ts';

/** Workers whose isolation is read. */
const WORKERS_MAX = 100;

/** By the options of this process and by what the Ready workers of the database say of their engines. */
export function createServerToolCheck(config: ProcessConfig): ToolCheck {
  const missingSecret = createSecretLookup({ envPrefix: config.secretEnvPrefix, env: config.secretEnv });
  return createToolCheck({ config: config.tools, backends: backendsOfWorkers, missingSecret });
}

export interface WriteRuleDeps {
  readonly canRun: ToolCheck;
  readonly config: ProcessConfig;
  readonly clock: Clock;
}

export function createWriteRules({ canRun, config, clock }: WriteRuleDeps): readonly (readonly [string, KindHooks])[] {
  const words = (error: { readonly message: string } | undefined) => (error ? [`its calls fail on this server: ${error.message}`] : []);
  return [
    ['Memory', createMemoryHooks({ embedded: config.database.kind === 'embedded', clock })],
    [
      'Tool',
      {
        warn: async (tx, { metadata, spec }) => {
          const tool = { ...placeOf(metadata), spec: specOf('Tool', { ...metadata, spec }) };
          return words((await canRun(tool, tx)) ?? schemaError(tool));
        },
      },
    ],
    [
      'ModelEndpoint',
      {
        warn: (_tx, { metadata, spec }) =>
          Promise.resolve(
            words(
              knownModelProblem(
                { ...placeOf(metadata), spec: specOf('ModelEndpoint', { ...metadata, spec }) },
                config.allowPrivateModelEndpoints,
              ),
            ),
          ),
      },
    ],
  ];
}

const placeOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => ({ namespace, name });

/** Undefined while no worker is Ready: then nothing is known. */
async function backendsOfWorkers(reader: Pick<StoreReader, 'listObjects'>): Promise<readonly BackendState[] | undefined> {
  const workers = await reader.listObjects({ kind: 'Worker', limit: WORKERS_MAX });
  const ready = workers.map((worker) => statusOf('Worker', worker)).filter(({ phase }) => phase === 'Ready');
  const said = ready.flatMap(({ isolation = [] }) => isolation);
  if (said.length === 0) return undefined;
  return (Object.keys(ENGINE_MODES) as EngineName[]).flatMap((backend) => {
    const states = said.filter((state) => state.backend === backend);
    const [first] = states;
    if (!first) return [];
    const available = states.some((state) => state.available === true);
    const { message } = first;
    return [{ backend, modes: ENGINE_MODES[backend], available, ...(!available && message !== undefined && { message }) }];
  });
}
