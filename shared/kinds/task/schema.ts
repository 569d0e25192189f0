// Shapes of Task: one run of an AgentSystem, or the template of many. Its records are in records.ts.
import { z } from 'zod';
import {
  anyObject,
  commonStatus,
  duration,
  flag,
  group,
  integer,
  listOf,
  names,
  number,
  requiredInteger,
  requiredText,
  text,
  textMap,
} from '../fields.ts';
import { BREAKPOINT_PLACES, historyEntry, joinStateEntry, messageEntry, messageIdempotencyEntry, traceEntry } from './records.ts';
import { BREAKPOINT_WAIT_DEFAULT, PINNED_KINDS } from './trial-limits.ts';

export const TASK_PHASES = ['Pending', 'Running', 'WaitingApproval', 'Succeeded', 'Failed', 'DeadLetter'] as const;
/** Phases a Task never leaves. */
export const TASK_TERMINAL_PHASES = ['Succeeded', 'Failed', 'DeadLetter'] as const satisfies readonly (typeof TASK_PHASES)[number][];
export const TASK_MODES = ['run', 'template'] as const;
export const PRIORITIES = ['low', 'normal', 'high', 'critical'] as const;
export const RETRY_JITTERS = ['none', 'full', 'equal'] as const;

/** A name of a node, as the system's agents are listed. */
const node = (description: string) => requiredText(description);

/** Versions of definitions, and agents that differ from them: what a trial runs in place of the current definitions. */
export const definitionChanges = {
  versions: listOf(
    'Versions to run in place of the current definitions; rights, policies and reviews stay the current ones.',
    z.strictObject({
      kind: requiredText('Kind of the object.', { values: PINNED_KINDS }),
      name: requiredText('The object, as name or namespace/name.'),
      generation: requiredInteger('Its version; `versions` of the object lists those that are kept.'),
    }),
  ),
  overrides: group('Agents that differ from their definitions in this run.', {
    model: textMap('ModelEndpoint by agent.'),
    prompt: textMap('Prompt by agent.'),
  }),
};

// Earlier runs are read once, when the trial starts, and may be gone later: they are not references.
export const trialSpec = z.strictObject({
  breakpoints: z
    .array(
      z.strictObject({
        node: node('The agent.'),
        at: requiredText('Before its turn, or after its output.', { values: BREAKPOINT_PLACES }),
      }),
    )
    .optional()
    .meta({ description: 'Places where the run waits until a person continues or ends it.' }),
  wait: duration('How long a breakpoint waits for a person.', { defaultText: BREAKPOINT_WAIT_DEFAULT }),
  pins: z
    .array(
      z.strictObject({
        node: node('The agent whose turns are not run.'),
        output: text('Output of the agent.'),
        task: text('An earlier run of the system in this namespace, whose recorded output is used.'),
      }),
    )
    .optional()
    .meta({ description: 'Outputs that replace turns of agents; each has an output or a task.' }),
  only: z
    .strictObject({
      node: node('The only agent to run.'),
      task: text('An earlier run of the system in this namespace, whose recorded messages the agent receives.'),
    })
    .optional()
    .meta({ description: 'Runs only one agent; nothing follows it.' }),
  from: z
    .strictObject({
      node: node('The first agent that runs again.'),
      task: requiredText('The earlier run with the results before it, in this namespace.'),
    })
    .optional()
    .meta({ description: 'Runs from one agent on; recorded results replace the agents before it.' }),
  ...definitionChanges,
});

export const taskSpec = z.strictObject({
  system: requiredText('The AgentSystem to run, as name or namespace/name.', { format: 'ref:AgentSystem' }),
  mode: text('`run` is executed; `template` never is, and serves schedules and webhooks.', { defaultText: 'run', values: TASK_MODES }),
  input: z.record(z.string(), z.string()).optional().meta({ description: 'Values the entry agents start from.', defaultText: '{}' }),
  priority: z.union([z.string(), z.int()]).optional().meta({
    description: 'Higher goes first: low, normal, high, critical, or an integer, which counts steps above normal. Stored as text.',
    defaultText: 'normal',
  }),
  max_turns: integer('Maximum number of agent turns on one branch; 0 means no limit. Above 0 is required for a cyclic graph.'),
  retry: group('Attempts of the whole task.', {
    max_attempts: integer('Attempts at most, the first included.', { defaultText: '1' }),
    backoff: duration('Pause before the second attempt; it doubles from then on.', { defaultText: '0s' }),
  }),
  message_retry: group('Attempts of one message between agents.', {
    max_attempts: integer('Attempts at most, the first included.', { defaultText: 'retry.max_attempts' }),
    backoff: duration('Pause before the second attempt; it doubles from then on.', { defaultText: 'retry.backoff' }),
    max_backoff: duration('Longest pause between attempts.', { defaultText: '24h' }),
    jitter: text('How pauses are spread.', { defaultText: 'full', values: RETRY_JITTERS }),
    non_retryable: names('Failures that end a message at once, each named by its code, its reason or a part of its message.'),
  }),
  trial: trialSpec
    .optional()
    .meta({ description: 'Makes the run a trial: breakpoints, pinned outputs, a part of the system, other versions of definitions.' }),
  requirements: group('What a worker must have to claim the task.', {
    region: text('Region of the worker.'),
    gpu: flag('Whether the worker must have a GPU.'),
    model: text('Model the worker must support.'),
  }),
});

export const taskStatus = z.strictObject({
  ...commonStatus,
  reason: text('Machine-readable reason of the phase, such as approval_denied, approval_timeout, cancelled or validation_failed.'),
  blockedOn: group('What a task that is not moving waits for.', {
    kind: text('Kind of the object.'),
    name: text('Name of the object.'),
    reason: text('Why the task waits for it.'),
  }),
  startedAt: text('When the first attempt began.', { format: 'date-time' }),
  completedAt: text('When the task ended.', { format: 'date-time' }),
  cancelledBy: text('Identity that cancelled the task.'),
  waitingSince: text('Time since which the task waits only for people.', { format: 'date-time' }),
  waitedMs: integer('Milliseconds that the task waited only for people, without the wait since waitingSince.'),
  nextAttemptAt: text('Time of the next attempt of a pending task.', { format: 'date-time' }),
  attempts: integer('Attempts begun.'),
  trial: text('`true` for a trial: lists filter it by the field selector `status.trial`, statistics leave it out.', { values: ['true'] }),
  output: textMap('Results: last_output, last_agent, last_tool_calls, last_event, tokens_used_total.'),
  costUsd: number('What its model calls cost in US dollars, once it has ended; absent where no price is known.'),
  unpricedCalls: integer('Model calls whose price is not known, once it has ended: costUsd lacks them.'),
  assignedWorker: text('The worker that has or last had the task.', { format: 'ref:Worker' }),
  claimedBy: text('The worker that holds the lease.', { format: 'ref:Worker' }),
  leaseUntil: text('When the lease ends unless it is renewed.', { format: 'date-time' }),
  lastHeartbeat: text('When the lease was last renewed.', { format: 'date-time' }),
  trace: z.array(traceEntry).optional().meta({ description: 'Every step of the run, oldest first.' }),
  history: z.array(historyEntry).optional().meta({ description: 'Claims, take-overs, waits and phase changes, oldest first.' }),
  messages: z.array(messageEntry).optional().meta({ description: 'Messages between agents, oldest first.' }),
  message_idempotency: z.array(messageIdempotencyEntry).optional().meta({ description: 'The idempotency record of each message.' }),
  join_states: z.array(joinStateEntry).optional().meta({ description: 'What each join expects and has.' }),
  truncated: anyObject('Records too long for one answer: for each the total, how many are here, and where the rest continues.'),
});

export type WrittenTaskSpec = z.infer<typeof taskSpec>;
export type TrialSpec = z.infer<typeof trialSpec>;
export type TaskStatus = z.infer<typeof taskStatus>;
