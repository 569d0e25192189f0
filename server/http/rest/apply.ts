// POST /v1/apply: many documents, one transaction.
import { defined, isObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { ApplyOptions, ApplyResult, Registry } from '../../registry/registry.ts';
import { fieldValidationOf } from '../check-parameters.ts';
import { badParameter } from '../query.ts';
import { json, type Call, type Route } from '../route.ts';
import { labelsOf } from './list-query.ts';
import { dryRunParameter, fieldValidationParameter, labelSelectorParameter, namespaceParameter, pruneParameter } from './parameters.ts';
import { arrayOf } from './schema-parts.ts';
import { ref } from './schemas.ts';
import { writeHeaders } from './write-headers.ts';

/** The resources of one document: an array, a List with `items`, or a single one. */
function resourcesOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  return isObject(document) && document['kind'] === 'List' && Array.isArray(document['items']) ? document['items'] : [document];
}

function pruneLabels({ query }: Call): ApplyOptions['prune'] {
  if (!query.flag('prune')) return undefined;
  const labels = labelsOf(query);
  if (labels === undefined || labels.length === 0)
    throw badParameter('labelSelector', 'is required with prune, so that only what it selects can be deleted');
  return labels;
}

function optionsOf(call: Call): ApplyOptions {
  const { query } = call;
  const given = defined({ fieldValidation: fieldValidationOf(query), prune: pruneLabels(call) });
  return { namespace: query.namespace(), dryRun: query.flag('dryRun'), ...given };
}

/** Body of the schema `ApplyResult`. */
export const resultsBody = (results: readonly ApplyResult[]) => ({
  results: results.map(({ kind, namespace, name, action, resourceVersion }) => ({ kind, namespace, name, action, resourceVersion })),
});

function resultHeaders(results: readonly ApplyResult[]): Record<string, string | string[]> {
  const warnings = results.flatMap((result) =>
    (result.warnings ?? []).map((warning) => `${result.kind} ${result.namespace}/${result.name}: ${warning}`),
  );
  return writeHeaders({ warnings, crdManaged: results.some((result) => result.crdManaged) });
}

export function applyRoute(registry: Registry): Route {
  return {
    method: 'POST',
    path: '/v1/apply',
    access: 'writer',
    tag: 'Apply',
    operationId: 'apply',
    summary: 'Apply many resources at once',
    description:
      'Multi-document YAML, a JSON array, a List with `items`, or one resource. One transaction in dependency order: when any document is refused nothing is written, and `details` name the document (`documents[2].spec.agents[0]`).',
    query: [namespaceParameter, dryRunParameter, fieldValidationParameter, pruneParameter, labelSelectorParameter],
    body: {
      description: 'The documents.',
      schema: { oneOf: [{ type: 'object' }, arrayOf({ type: 'object' })] },
    },
    responses: { 200: { description: 'The action on each document.', schema: ref('ApplyResult') } },
    handle: async (call) => {
      const options = optionsOf(call);
      const documents = (await call.readDocuments()).flatMap(resourcesOf);
      if (documents.length === 0) throw new ServiceError('invalid', 'The body holds no document to apply');
      const results = await registry.apply(call.context, documents, options);
      return json(resultsBody(results), { headers: resultHeaders(results) });
    },
  };
}
