// The kind Session.
import { defineKind } from '../define.ts';
import { initialSessionStatus, normalizeSession, sessionChangeReferences, sessionReferences, validateSession } from './rules.ts';
import { SESSION_PHASES, SESSION_TERMINAL_PHASES, sessionSpec, sessionStatus } from './schema.ts';

const ALIVE = ['WaitingInput', 'Running', 'Paused', 'WaitingApproval', 'Failed'] as const;

export const session = defineKind({
  kind: 'Session',
  plural: 'sessions',
  area: 'sessions',
  icon: 'MessagesSquare',
  shortNames: ['session', 'sess'],
  description: 'A durable conversation with an AgentSystem: ordered turns and events, with checkpoints to go back to or to branch from.',
  spec: sessionSpec,
  status: sessionStatus,
  phases: SESSION_PHASES,
  terminalPhases: SESSION_TERMINAL_PHASES,
  initialPhase: 'WaitingInput',
  normalize: normalizeSession,
  validate: validateSession,
  initialStatus: initialSessionStatus,
  references: sessionReferences,
  changeReferences: sessionChangeReferences,
  requiredReferences: ['spec.system'],
  declared: false,
  audited: 'deletion',
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'System', path: 'spec.system' },
    { title: 'Last message', path: 'status.lastMessage', prose: true },
    { title: 'Turns', path: 'status.completedTurns' },
    { title: 'Queued', path: 'status.queuedTurns' },
    { title: 'Last activity', path: 'status.lastActivityAt' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Expires', path: 'status.expiresAt', wide: true },
    { title: 'Last error', path: 'status.lastError', wide: true },
  ],
  // Failed is not an end phase: a new turn, resume or rewind continues. A rewind may also start from an ended session.
  actions: [
    { action: 'submit-turn', from: ALIVE },
    { action: 'pause', from: ['WaitingInput', 'Running', 'WaitingApproval', 'Failed'] },
    { action: 'resume', from: ['Paused', 'Failed'] },
    { action: 'cancel', from: ALIVE },
    { action: 'complete', from: ALIVE },
    { action: 'rewind', from: SESSION_PHASES },
    { action: 'fork', from: SESSION_PHASES },
  ],
  partNames: { of: 'system', maps: ['overrides.model', 'overrides.prompt'] },
  fieldSelectors: ['status.phase', 'spec.system'],
  applyOrder: 90,
});
