// The Memories of a process, with the connections that their embedding models and adapters use.
import type { ProcessConfig } from '../config.ts';
import { createEgress } from '../egress/create-egress.ts';
import { createMemories, type Memories, type MemoriesOptions } from '../memory/create-memories.ts';
import { builtInProviders } from '../models/built-in-providers.ts';
import { createEmbeddingsPort } from '../models/create-embeddings-port.ts';
import { PERMITTED_BY } from '../tools/runtime.ts';
import type { OwnProviders } from './own-providers.ts';

/** No thread and no connection is started before the first use. */
export function openMemories(
  config: ProcessConfig,
  { providers, ...deps }: Pick<MemoriesOptions, 'store' | 'clock' | 'secrets'> & { readonly providers: OwnProviders },
): Memories {
  const egress = createEgress();
  const http = { ...deps, egress, allowPrivate: config.allowPrivateModelEndpoints };
  const memories = createMemories({
    ...deps,
    egress,
    random: Math.random,
    embeddings: createEmbeddingsPort(http, builtInProviders(http, providers.models)),
    ...(providers.memories && { providers: providers.memories }),
    rules: { allowPrivate: config.tools.allowPrivateEndpoints, permittedBy: PERMITTED_BY },
    dataDir: config.database.kind === 'embedded' ? config.database.dataDir : undefined,
  });
  return {
    ...memories,
    async close() {
      await memories.close();
      await egress.close();
    },
  };
}
