// JSON Schemas of bundles.
import type { JsonSchema } from '../route.ts';
import { arrayOf, object, string } from './schema-parts.ts';

const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
const boolean: JsonSchema = { type: 'boolean' };

const reviewedObject = object(
  {
    kind: string,
    namespace: string,
    name: string,
    action: { type: 'string', enum: ['created', 'configured', 'unchanged'] },
    current: { ...anyObject, description: 'The object as it is stored; absent for a new one.' },
    next: { ...anyObject, description: 'The object as the import writes it.' },
    warnings: arrayOf(string),
  },
  ['kind', 'namespace', 'name', 'action', 'next'],
);

const reviewedSecret = object(
  { namespace: string, name: string, keys: arrayOf(string), usedBy: arrayOf(string), mappedTo: string, exists: boolean },
  ['name', 'keys', 'usedBy', 'mappedTo', 'exists'],
);

export const bundleSchemas: Readonly<Record<string, JsonSchema>> = {
  BundleReview: object({
    name: string,
    createdAt: { type: 'string', format: 'date-time' },
    createdBy: string,
    source: object({ namespace: string, version: string }),
    signer: object({ keyId: string, standing: { type: 'string', enum: ['own', 'unknown'] } }),
    objects: arrayOf(reviewedObject),
    secrets: arrayOf(reviewedSecret),
    missing: arrayOf(string),
    review: { type: 'string', description: 'Value of the parameter `review` of the import.' },
  }),
};
