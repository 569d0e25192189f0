// Shapes of Worker: a process that claims and runs Tasks.
import { z } from 'zod';
import { commonStatus, flag, group, integer, listOf, names, requiredText, text } from '../fields.ts';

export const WORKER_PHASES = ['Pending', 'Ready', 'Draining', 'NotReady'] as const;

export const workerSpec = z.strictObject({
  region: text('Where the worker runs; matched against requirements.region of a Task.'),
  capabilities: group('What the worker offers to Tasks that require it.', {
    gpu: flag('Whether it has a GPU; matched against requirements.gpu.'),
    supported_models: names('Models it can run; matched against requirements.model.'),
  }),
  max_concurrent_tasks: integer('How many Tasks it runs at once; 0 and less count as 1. A running worker applies a change at once.', {
    defaultText: '1',
  }),
  suspend: flag('Claims no new Tasks while true; those it runs continue. A restart of the worker keeps it.'),
});

export const workerStatus = z.strictObject({
  ...commonStatus,
  instance: text('Process that runs under the name of this object; each start of a worker has an id of its own.'),
  lastHeartbeat: text('When the worker last reported.', { format: 'date-time' }),
  currentTasks: integer('How many Tasks it is running.'),
  mcpStdio: flag('Whether it starts the programs of McpServers with transport stdio.'),
  isolation: listOf(
    'Where its tools can be isolated.',
    z.strictObject({
      backend: requiredText('Such as docker.'),
      modes: names('Values of runtime.isolation_mode of a Tool that it runs.'),
      available: flag('Whether it answers.'),
      engine: text('Engine that answers, with its version and its socket.'),
      message: text('Why it does not, and what to do.'),
    }),
  ),
});

export type WrittenWorkerSpec = z.infer<typeof workerSpec>;
