// JSON Schemas of versions of specs.
import type { JsonSchema } from '../route.ts';
import { object, time } from './schema-parts.ts';

const summary: Readonly<Record<string, JsonSchema>> = {
  generation: { type: 'integer', description: 'The metadata.generation of the object while it had this spec.' },
  createdAt: { ...time, description: 'Time of the write of this spec.' },
  createdBy: { type: 'string', description: 'Identity of that write; absent where it is not known.' },
  replacedAt: { ...time, description: 'Absent for the current spec.' },
};

export const versionSchemas: Readonly<Record<string, JsonSchema>> = {
  VersionSummary: object(summary, ['generation', 'createdAt']),
  Version: object({ ...summary, spec: { type: 'object', additionalProperties: true } }, ['generation', 'createdAt', 'spec']),
};
