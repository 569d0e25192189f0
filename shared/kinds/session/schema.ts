// Shapes of Session: a durable conversation with an AgentSystem.
import { z } from 'zod';
import { commonStatus, duration, group, integer, requiredText, text, textMap } from '../fields.ts';

export const SESSION_PHASES = [
  'WaitingInput',
  'Running',
  'Paused',
  'WaitingApproval',
  'Failed',
  'Cancelled',
  'Completed',
  'Expired',
] as const;
/** Phases a Session never leaves; Failed is not one of them. */
export const SESSION_TERMINAL_PHASES = ['Cancelled', 'Completed', 'Expired'] as const satisfies readonly (typeof SESSION_PHASES)[number][];

export const sessionSpec = z.strictObject({
  system: requiredText('The AgentSystem to talk with, as name or namespace/name.', { format: 'ref:AgentSystem' }),
  idle_ttl: duration('How long the session lives after its last activity.', { defaultText: '24h' }),
  max_turns: integer('Completed turns at most; 0 is unlimited.', { defaultText: '0' }),
  input: textMap('Values added to the input of every turn.'),
  history: group('Earlier turns that entry agents see; absent: as many as a run accepts.', {
    max_turns: integer('The newest turns at most.'),
    max_tokens: integer('Estimated tokens of earlier turns at most, four characters each.'),
  }),
  overrides: group('Agents that differ from their definitions in this session; a fork records them here.', {
    model: textMap('ModelEndpoint by agent.'),
    prompt: textMap('Prompt by agent.'),
  }),
  checkpoint_retention: group('Which checkpoints are kept.', {
    max_count: integer('Checkpoints at most, 0 to 100.', { defaultText: '100' }),
    max_age: duration('Age of a checkpoint at most; above 0s, up to 720h.', { defaultText: '168h' }),
  }),
});

export const sessionStatus = z.strictObject({
  ...commonStatus,
  lastMessage: text('The first line of the message whose turn began last, 80 characters at most.'),
  activeTurnID: text('The turn that is running.'),
  queuedTurns: integer('Turns that wait.'),
  completedTurns: integer('Turns that succeeded.'),
  lastEventSequence: integer('The highest event sequence available for replay.'),
  lastCheckpointID: text('The newest checkpoint.'),
  restoredCheckpoint: text('The checkpoint of the last rewind.'),
  claimedBy: text('The worker that holds the lease.', { format: 'ref:Worker' }),
  leaseUntil: text('When the lease ends unless it is renewed.', { format: 'date-time' }),
  lastHeartbeat: text('When the lease was last renewed.', { format: 'date-time' }),
  fence: integer('Number of the current lease; writers with an older one are refused.'),
  startedAt: text('When the first turn began.', { format: 'date-time' }),
  lastActivityAt: text('When something last happened.', { format: 'date-time' }),
  expiresAt: text('When the session expires without activity.', { format: 'date-time' }),
  completedAt: text('When the session ended.', { format: 'date-time' }),
  systemGeneration: integer('Generation of the AgentSystem when the session was created.'),
});

export type WrittenSessionSpec = z.infer<typeof sessionSpec>;
export type SessionStatus = z.infer<typeof sessionStatus>;
export type SessionPhase = (typeof SESSION_PHASES)[number];
