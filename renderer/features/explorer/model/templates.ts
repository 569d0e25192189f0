// Templates for a new object of a kind: minimal, complete, from a blueprint, or another object.
import type { Resource } from '@svc/shared/resource';
import { queryOptions } from '@tanstack/react-query';
import { kindTitle } from '../../../kinds/kind-titles.ts';
import { loadDefinitions } from '../../../kinds/definitions.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { client } from '../../../live/api.ts';
import { queryClient } from '../../../live/query-client.ts';
import { blueprintsQuery } from '../blueprints.ts';
import { kindFieldsQuery } from '../kind-fields.ts';
import { recreationYaml, copyYaml } from '../object-yaml.ts';
import { recallLost } from './lost-objects.ts';
import { requiredPaths, fullTemplate, minimalTemplate, type TemplateOptions } from '../create/template-text.ts';

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

/** Parameters of the address. Empty texts are absent. */
export interface Start {
  /** Id of a template. */
  readonly template: string;
  /** `namespace/name` of the object to duplicate. */
  readonly from: string;
  /** `namespace/name` of an object that was deleted while it was open. */
  readonly lost: string;
  readonly name: string;
  /** `ModelEndpoint:namespace/name`, reference for the new object. */
  readonly with: string;
}

function referencesOf(text: string, namespace: string): Record<string, string> {
  const [kind = '', ref = ''] = text.split(':');
  // Within a namespace the name alone suffices.
  return kind === '' || ref === '' ? {} : { [kind]: ref.startsWith(`${namespace}/`) ? ref.slice(namespace.length + 1) : ref };
}

/** Validates texts by the kind's own rules. */
async function judgeOf({ kind, name }: TemplateOptions, namespace: string) {
  const [{ kindByName }, { checkSpec }, { readObject }] = await Promise.all([
    loadDefinitions(),
    import('@svc/shared/kinds/check'),
    import('../../../yaml/serialise.ts'),
  ]);
  const definition = kindByName(kind);
  return (text: string) => {
    const read = readObject(text);
    if ('errors' in read || !definition) return [];
    return checkSpec(definition, read.body.spec, { context: { namespace, name }, unknownFields: 'reject' }).errors;
  };
}

async function generated(kind: KindSummary, namespace: string, start: Start): Promise<Template[]> {
  const { spec } = await queryClient.ensureQueryData(kindFieldsQuery(kind.kind));
  if (!spec) return [];
  const name = start.name === '' ? `my-${kindTitle(kind).toLowerCase().replace(/ /g, '-')}` : start.name;
  const plain = { kind: kind.kind, name, spec, references: referencesOf(start.with, namespace) };
  const options = { ...plain, extraPaths: requiredPaths(plain, await judgeOf(plain, namespace)) };
  return [
    { id: 'minimal', title: 'Minimal', summary: 'Required fields only.', text: minimalTemplate(options) },
    {
      id: 'full',
      title: 'All fields',
      summary: 'All fields, documented.',
      text: fullTemplate(options),
    },
  ];
}

/** Documents of this kind in the blueprints, without the notes on the whole. */
async function fromBlueprints(kind: KindSummary): Promise<Template[]> {
  const [blueprints, { splitDocuments }] = await Promise.all([
    queryClient.ensureQueryData(blueprintsQuery),
    import('../../../yaml/serialise.ts'),
  ]);
  return blueprints.flatMap(({ id, title, text }) =>
    splitDocuments(text)
      .filter(({ value }) => value?.kind === kind.kind)
      .map(({ value, text: document }) => {
        const name = String((value?.metadata as { name?: string } | undefined)?.name ?? '');
        return {
          id: `${id}.${name}`,
          title: name,
          summary: `From the blueprint “${title}”.`,
          text: document.replace(/^(?:\s*(?:#.*|---.*)?\r?\n)+/, ''),
        };
      }),
  );
}

export const templatesQuery = (kind: KindSummary, namespace: string, start: Start) =>
  queryOptions({
    queryKey: ['templates', kind.kind, namespace, start.name, start.with],
    queryFn: async () => [...(await generated(kind, namespace, start)), ...(await fromBlueprints(kind))],
    refetchInterval: false,
    staleTime: 'static',
  });

const withoutNamespace = (text: string) => text.replace(/^ {2}namespace: .*\n/m, '');

async function objectAt(kind: KindSummary, key: string): Promise<Resource> {
  const slash = key.indexOf('/');
  return client.resources.get.query({ kind: kind.kind, namespace: key.slice(0, slash), name: key.slice(slash + 1) });
}

/** Initial text that the address requests; undefined while nothing was chosen. Rejects when the object to duplicate does not exist. */
export const startQuery = (kind: KindSummary, namespace: string, start: Start) =>
  queryOptions({
    queryKey: ['create-start', kind.kind, namespace, start],
    queryFn: async (): Promise<string | null> => {
      const lost = start.lost === '' ? undefined : recallLost(kind.kind, start.lost);
      if (lost) return recreationYaml(lost);
      if (start.from !== '') return withoutNamespace(await copyYaml(await objectAt(kind, start.from), namespace));
      if (start.template === '') return null;
      const templates = await queryClient.ensureQueryData(templatesQuery(kind, namespace, start));
      return (templates.find(({ id }) => id === start.template) ?? templates[0])?.text ?? null;
    },
    refetchInterval: false,
    // An editor has started with it.
    staleTime: 'static',
    gcTime: 0,
  });
