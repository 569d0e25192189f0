// Objects as files: one, several, or all that a list selects. The YAML writer is loaded on first use.
import { isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { isWriteOnly } from '../../kinds/kind-table.ts';
import { client } from '../../live/api.ts';
import type { ListInput } from '../../live/list-selectors.ts';
import { copyName } from './model/copy-name.ts';

/** Objects of one export; `svcctl` exports more. */
export const EXPORT_MAX = 10_000;

const serialise = () => import('../../yaml/serialise.ts');

/** One document per object, in the order given; without status, and for Secrets without values. */
export async function toYaml(resources: readonly Resource[]): Promise<string> {
  return (await serialise()).objectsYaml(resources);
}

/** An object as the text of a new one. For a Secret the keys stay, each needs a value: the server accepts no empty one. */
export async function recreationYaml(resource: Pick<Resource, 'kind' | 'metadata' | 'spec'>): Promise<string> {
  const { editable, objectYaml, toYaml } = await serialise();
  if (!isWriteOnly(resource.kind)) return objectYaml(resource);
  const { data } = resource.spec;
  const stringData = Object.fromEntries(Object.keys(isObject(data) ? data : {}).map((key) => [key, '']));
  return `# The values are write-only, so they are missing here. Enter each of them again.\n${toYaml({ ...editable(resource), spec: { stringData } })}`;
}

/** Another object of the same content, with a name and a namespace of its own. */
export function copyYaml({ kind, metadata, spec }: Resource, namespace: string): Promise<string> {
  return recreationYaml({ kind, spec, metadata: { ...metadata, name: copyName(metadata.name), namespace } });
}

/** The first EXPORT_MAX objects of a list, and whether there are more. */
export async function readExport(input: ListInput): Promise<{ readonly items: readonly Resource[]; readonly more: boolean }> {
  const items: Resource[] = [];
  let after: string | undefined;
  do {
    const page: { items: readonly Resource[]; continue?: string } = await client.resources.list.query({
      ...input,
      ...(after !== undefined && { after }),
    });
    items.push(...page.items);
    after = page.continue;
  } while (after !== undefined && items.length < EXPORT_MAX);
  return { items: items.slice(0, EXPORT_MAX), more: after !== undefined || items.length > EXPORT_MAX };
}
