// JSON Schemas of agent cards and of the registry of agents.
import type { JsonSchema } from '../route.ts';
import { arrayOf, object, string, time } from './schema-parts.ts';

const AgentCard: JsonSchema = {
  ...object({ name: string, description: string, version: string }, ['name', 'description', 'version']),
  additionalProperties: true,
  description: 'The card of an agent as A2A has it; docs/a2a.md shows both forms.',
};

export const a2aSchemas: Readonly<Record<string, JsonSchema>> = {
  AgentCard,
  A2aAgents: object({
    localAgents: arrayOf({ $ref: '#/components/schemas/AgentCard' }),
    remoteAgents: arrayOf(
      object(
        {
          ...{ name: string, namespace: string, url: string, protocolVersion: string, error: string, lastRefreshed: time },
          cacheStatus: { type: 'string', description: '`empty` until the card was read.' },
          card: { $ref: '#/components/schemas/AgentCard' },
        },
        ['name', 'namespace', 'url', 'cacheStatus'],
      ),
    ),
  }),
};
