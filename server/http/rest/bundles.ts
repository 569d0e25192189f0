// Bundles over REST: an agent system as one signed file, its review, its import.
import { BUNDLE_ENDING } from '@svc/shared/bundle/bundle';
import type { BundleService, ConfirmedImport } from '../../bundles/bundle-service.ts';
import { json, type BodySpec, type Call, type Route } from '../route.ts';
import { keyId, reviewName, secretNames } from '../text-types.ts';
import { resultsBody } from './apply.ts';
import { namespaceParameter, objectOf, textFilter } from './parameters.ts';
import { ref } from './schemas.ts';

const TAG = 'Bundles';

const secretsParameter = textFilter(
  'secrets',
  secretNames,
  'Names of Secrets here for those that the bundle names: `their-name=name-here`, separated by commas.',
);
const signerParameter = textFilter(
  'signer',
  keyId,
  'Key id of the signer, `sha256:…`; required when the bundle was not written by this server.',
);
const reviewParameter = textFilter('review', reviewName, 'The `review` of the review that was read: 409 when anything has changed since.');

const BODY: BodySpec = {
  description: 'The bundle as it was written.',
  schema: { type: 'string' },
};

function secretsOf({ query }: Call): Record<string, string> {
  const pairs = query.text('secrets')?.split(',') ?? [];
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
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
        const system = objectOf(call);
        const text = await bundles.write(call.context, system);
        const headers = { 'Content-Disposition': `attachment; filename="${system.name}${BUNDLE_ENDING}"` };
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
      description: '409 for a signer that is neither this server nor `signer`, and when an object changed since the review.',
      query: [namespaceParameter, secretsParameter, signerParameter, reviewParameter],
      body: BODY,
      responses: { 200: { description: 'The action on each object.', schema: ref('ApplyResult') } },
      handle: async (call) => json(resultsBody(await bundles.import(call.context, await importRequest(call)))),
    },
  ];
}
