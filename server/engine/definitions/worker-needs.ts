// Needs of a run that not every worker meets: the encryption key for Secrets, and the start of programs of MCP servers.
import type { Reference } from '@svc/shared/kinds/define';
import { modelEndpointReferences } from '@svc/shared/kinds/model-endpoint/rules';
import { toolReferences } from '@svc/shared/kinds/tool/rules';
import { specOf } from '@svc/shared/kinds/read';
import type { StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

/** True when a model or tool of the run names a Secret that exists. One that does not exist is read from the environment, which needs no key. */
export async function needsSecrets(reader: StoreReader, snapshot: RunSnapshot): Promise<boolean> {
  for (const { namespace, name } of named(snapshot, 'Secret')) if (await reader.getObject({ kind: 'Secret', namespace, name })) return true;
  return false;
}

/** True when a tool of the run is one of an McpServer with transport stdio. */
export async function needsPrograms(reader: StoreReader, snapshot: RunSnapshot): Promise<boolean> {
  for (const { namespace, name } of named(snapshot, 'McpServer')) {
    const server = await reader.getObject({ kind: 'McpServer', namespace, name });
    if (server && specOf('McpServer', server).transport === 'stdio') return true;
  }
  return false;
}

/** Objects of a kind that models and tools of the run name, each once. */
function named({ models, tools }: RunSnapshot, kind: string): Reference[] {
  const references = [
    ...Object.values(models).flatMap((model) => modelEndpointReferences(model.spec, model)),
    ...Object.values(tools).flatMap((tool) => toolReferences(tool.spec, tool)),
  ].filter((ref) => ref.kind === kind);
  return [...new Map(references.map((ref) => [`${ref.namespace}/${ref.name}`, ref])).values()];
}
