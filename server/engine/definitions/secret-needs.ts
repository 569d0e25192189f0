// Whether a run needs values of Secrets that only a worker with the encryption key can open.
import { modelEndpointReferences } from '@svc/shared/kinds/model-endpoint/rules';
import { toolReferences } from '@svc/shared/kinds/tool/rules';
import type { StoreReader } from '../../store/store.ts';
import type { RunSnapshot } from '../core/snapshot.ts';

/** True when a model or tool of the run names a Secret that exists. One that does not exist is read from the environment, which needs no key. */
export async function needsSecrets(reader: StoreReader, snapshot: RunSnapshot): Promise<boolean> {
  for (const { namespace, name } of secretsNamed(snapshot)) if (await reader.getObject({ kind: 'Secret', namespace, name })) return true;
  return false;
}

function secretsNamed({ models, tools }: RunSnapshot): { namespace: string; name: string }[] {
  const references = [
    ...Object.values(models).flatMap((model) => modelEndpointReferences(model.spec, model)),
    ...Object.values(tools).flatMap((tool) => toolReferences(tool.spec, tool)),
  ];
  const named = references.filter(({ kind }) => kind === 'Secret');
  return [...new Map(named.map((ref) => [`${ref.namespace}/${ref.name}`, ref])).values()];
}
