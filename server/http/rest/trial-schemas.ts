// JSON Schemas of runs that repeat or try something: retries, trials, experiments.
import type { JsonSchema } from '../route.ts';
import { experimentSchemas } from './experiment-schemas.ts';
import { object, string, textMap } from './schema-parts.ts';

export const trialSchemas: Readonly<Record<string, JsonSchema>> = {
  ...experimentSchemas,
  RetryRequest: object(
    {
      input: textMap,
      to_namespace: { type: 'string', description: 'Namespace of the new Task. Default: that of the Task.' },
      system_generation: {
        type: 'integer',
        minimum: 0,
        description: 'Version of the system, which makes the new Task a trial; 0 for the current one. Default: as the Task has it.',
      },
    },
    [],
  ),
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
