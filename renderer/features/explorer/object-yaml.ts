// Objects as YAML for people and files: what somebody writes, without what the service writes. Loads the YAML library when first used.
import type { Resource } from '@svc/shared/resource';
import { client } from '../../live/api.ts';
import type { ListInput } from './list/list-state.ts';

/** Of one export; more is a matter for `svcctl`. */
export const EXPORT_MAX = 1000;

const SECRET_NOTE = ' Values of Secrets cannot be read. Fill them in before this is applied.';

const filled = (map: Readonly<Record<string, string>>) => (Object.keys(map).length > 0 ? map : undefined);

/** What of an object somebody wrote: no status, no version, no times. Pure. */
export function writtenPart({ apiVersion, kind, metadata, spec }: Resource): Record<string, unknown> {
  const { name, namespace } = metadata;
  const labels = filled(metadata.labels);
  const annotations = filled(metadata.annotations);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: kind === 'Secret' ? blankSecret(spec) : spec,
  };
}

/** The keys are known, the values are not: what is exported has to be filled in. */
function blankSecret(spec: Resource['spec']): Record<string, unknown> {
  const keys = Object.keys((spec.data as Readonly<Record<string, unknown>> | undefined) ?? {});
  return { stringData: Object.fromEntries(keys.map((key) => [key, ''])) };
}

async function documentText(document: unknown): Promise<string> {
  const { Document } = await import('yaml');
  const made = new Document(document);
  if ((document as { kind?: string }).kind === 'Secret') made.commentBefore = SECRET_NOTE;
  return made.toString({ lineWidth: 0 });
}

/** One document per object, in the order given. */
export async function toYaml(resources: readonly Resource[]): Promise<string> {
  const texts = await Promise.all(resources.map((each) => documentText(writtenPart(each))));
  return texts.join('---\n');
}

/** Another object of the same content, with a name of its own to be found. */
export async function copyYaml(resource: Resource, namespace: string): Promise<string> {
  const { metadata, ...rest } = writtenPart(resource);
  return documentText({ ...rest, metadata: { ...(metadata as object), name: `${resource.metadata.name}-copy`, namespace } });
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
