// Bundles over REST: an agent system as one signed file, its review, its import.
import { BUNDLE_ENDING } from '@svc/shared/bundle/bundle';
import type { BundleService, ConfirmedImport } from '../../bundles/bundle-service.ts';
import { badParameter } from '../query.ts';
import { json, type BodySpec, type Call, type Parameter, type Route } from '../route.ts';
import { RESOURCE_TYPES } from '../body/documents.ts';
import { namespaceParameter } from './parameters.ts';
import { ref } from './schemas.ts';

const TAG = 'Bundles';

const secretsParameter: Parameter = {
  name: 'secrets',
  description: 'Names of Secrets here for those that the bundle names: `their-name=name-here`, separated by commas.',
  schema: { type: 'string' },
};
const signerParameter: Parameter = {
  name: 'signer',
  description: 'Key id of the signer, `sha256:…`; required when the bundle was not written by this server.',
  schema: { type: 'string' },
};
const reviewParameter: Parameter = {
  name: 'review',
  description: 'The `review` of the review that was read: 409 when anything has changed since.',
  schema: { type: 'string' },
};

const BODY: BodySpec = {
  description: 'The bundle as it was written.',
  schema: { type: 'string' },
  contentTypes: RESOURCE_TYPES,
};

function secretsOf({ query }: Call): Record<string, string> {
  const text = query.text('secrets');
  if (text === undefined || text === '') return {};
  const pairs = text.split(',').map((pair) => pair.split('='));
  const isPair = ([from, to, ...rest]: string[]) => from !== '' && to !== undefined && to !== '' && rest.length === 0;
  if (!pairs.every(isPair)) throw badParameter('secrets', 'must be pairs such as openai=team-openai, separated by commas');
  return Object.fromEntries(pairs.map(([from = '', to = '']) => [from, to]));
}

async function importRequest(call: Call): Promise<ConfirmedImport> {
  const { query } = call;
  return {
    documents: await call.readDocuments(),
    namespace: query.namespace(),
    secrets: secretsOf(call),
    signer: query.text('signer'),
    review: query.text('review'),
  };
}

export function bundleRoutes(bundles: BundleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/agent-systems/{name}/bundle',
      access: 'writer',
      tag: TAG,
      operationId: 'writeBundle',
      summary: 'Write a system with all that it needs as one signed file',
      description:
        'YAML: a signed list, then one document for each object. Secrets are named, their values never leave the server. Permissions of the ' +
        'tools and policies that name the system are part of it; global policies are not.',
      query: [namespaceParameter],
      responses: { 200: { description: 'The bundle.', schema: { type: 'string' }, contentType: 'application/yaml' } },
      handle: async (call) => {
        const name = call.params['name'] ?? '';
        const text = await bundles.write(call.context, { namespace: call.query.namespace(), name });
        const headers = { 'Content-Disposition': `attachment; filename="${name}${BUNDLE_ENDING}"` };
        return { type: 'text', status: 200, contentType: 'application/yaml', text, headers };
      },
    },
    {
      method: 'POST',
      path: '/v1/bundles/review',
      access: 'writer',
      tag: TAG,
      operationId: 'reviewBundle',
      summary: 'What the import of a bundle would do',
      description: 'Checks signature and hashes, and writes nothing. 400 for a bundle that was changed after it was signed.',
      query: [namespaceParameter, secretsParameter],
      body: BODY,
      responses: { 200: { description: 'The review.', schema: ref('BundleReview') } },
      handle: async (call) => json(await bundles.review(call.context, await importRequest(call))),
    },
    {
      method: 'POST',
      path: '/v1/bundles/import',
      access: 'writer',
      tag: TAG,
      operationId: 'importBundle',
      summary: 'Import a bundle in one transaction',
      description: '409 for a signer that is neither this server nor named, and when something changed since the review.',
      query: [namespaceParameter, secretsParameter, signerParameter, reviewParameter],
      body: BODY,
      responses: { 200: { description: 'The action on each object.', schema: ref('ApplyResult') } },
      handle: async (call) => {
        const results = await bundles.import(call.context, await importRequest(call));
        return json({
          results: results.map(({ kind, namespace, name, action, resourceVersion }) => ({
            kind,
            namespace,
            name,
            action,
            resourceVersion,
          })),
        });
      },
    },
  ];
}
