// Objects as files: one, several, or all that a list selects. What writes YAML is loaded when it is first used.
import type { Resource } from '@svc/shared/resource';
import { client } from '../../live/api.ts';
import type { ListInput } from './list/list-state.ts';

/** Of one export; more is a matter for `svcctl`. */
export const EXPORT_MAX = 1000;

const serialise = () => import('../editor/serialise.ts');

/** One document per object, in the order given; without status, and of Secrets without values. */
export async function toYaml(resources: readonly Resource[]): Promise<string> {
  return (await serialise()).objectsYaml(resources);
}

/** Another object of the same content, with a name and a namespace of its own. */
export async function copyYaml({ kind, metadata, spec }: Resource, namespace: string): Promise<string> {
  const { objectYaml } = await serialise();
  return objectYaml({ kind, spec, metadata: { ...metadata, name: `${metadata.name}-copy`, namespace } });
}

/** The first EXPORT_MAX objects of a list, and whether there are more. */
export async function readAll({ limit, ...input }: ListInput): Promise<{ readonly items: readonly Resource[]; readonly more: boolean }> {
  const items: Resource[] = [];
  let after: string | undefined;
  do {
    const page = await client.resources.list.query({
      ...input,
      limit: Math.min(limit, EXPORT_MAX - items.length),
      ...(after !== undefined && { after }),
    });
    items.push(...page.items);
    after = page.continue;
  } while (after !== undefined && items.length < EXPORT_MAX);
  return { items, more: after !== undefined };
}
