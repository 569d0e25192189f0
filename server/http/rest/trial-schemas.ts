// JSON Schemas of trials, those of experiments included.
import type { JsonSchema } from '../route.ts';
import { experimentSchemas } from './experiment-schemas.ts';
import { object, string } from './schema-parts.ts';

export const trialSchemas: Readonly<Record<string, JsonSchema>> = {
  ...experimentSchemas,
  ContinueRequest: {
    ...object(
      {
        at: { ...string, description: 'Agent or turn that waits; needed where several do.' },
        input: { ...string, description: 'In place of the message into the agent, at a breakpoint before it.' },
        output: { ...string, description: 'In place of its output, at a breakpoint after it.' },
        end: { type: 'boolean', description: 'Ends the run as cancelled.' },
        reason: { ...string, description: 'With end: why.' },
      },
      [],
    ),
    additionalProperties: false,
  },
};
