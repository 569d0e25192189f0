// Rules of Session at write time. The registry checks that its system exists, because that needs the store.
import { durationMs, parseDuration } from '../../duration.ts';
import type { FieldError } from '../../errors.ts';
import { defined, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, objectRef, positiveDuration } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { changeReferences } from '../task/trial.ts';
import type { SessionStatus, WrittenSessionSpec } from './schema.ts';

const IDLE_TTL_DEFAULT = '24h';
const CHECKPOINTS_MAX = 100;
const CHECKPOINT_AGE_DEFAULT = '168h';
const CHECKPOINT_AGE_MAX = '720h';

export function normalizeSession(spec: WrittenSessionSpec) {
  return defined({
    ...spec,
    system: spec.system.trim(),
    idle_ttl: trimmed(spec.idle_ttl) ?? IDLE_TTL_DEFAULT,
    max_turns: spec.max_turns ?? 0,
    input: spec.input ?? {},
    checkpoint_retention: {
      max_count: spec.checkpoint_retention?.max_count ?? CHECKPOINTS_MAX,
      max_age: trimmed(spec.checkpoint_retention?.max_age) ?? CHECKPOINT_AGE_DEFAULT,
    },
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type SessionSpec = ReturnType<typeof normalizeSession>;

/** Times of the last activity, in milliseconds, as fields of the status. */
export function activityStatus({ idle_ttl: idle }: Pick<SessionSpec, 'idle_ttl'>, at: number) {
  return { lastActivityAt: new Date(at).toISOString(), expiresAt: new Date(at + durationMs(idle, IDLE_TTL_DEFAULT)).toISOString() };
}

export function initialSessionStatus(spec: SessionSpec, createdAt: string): Partial<SessionStatus> {
  return { queuedTurns: 0, completedTurns: 0, fence: 0, ...activityStatus(spec, Date.parse(createdAt)) };
}

export function validateSession(spec: SessionSpec): FieldError[] {
  const { max_count: maxCount = 0, max_age: maxAge = CHECKPOINT_AGE_DEFAULT } = spec.checkpoint_retention ?? {};
  return [
    ...objectRef('spec.system', spec.system),
    ...positiveDuration('spec.idle_ttl', spec.idle_ttl),
    ...atLeast('spec.max_turns', spec.max_turns, 0),
    ...atLeast('spec.history.max_turns', spec.history?.max_turns, 0),
    ...atLeast('spec.history.max_tokens', spec.history?.max_tokens, 0),
    ...Object.entries(spec.overrides?.model ?? {})
      .filter(([, model]) => model.trim() === '')
      .map(([agent]) => ({ path: `spec.overrides.model.${agent}`, message: 'must name a ModelEndpoint' })),
    ...(maxCount < 0 || maxCount > CHECKPOINTS_MAX
      ? [{ path: 'spec.checkpoint_retention.max_count', message: `must be from 0 to ${CHECKPOINTS_MAX}, not ${maxCount}` }]
      : []),
    ...checkpointAgeErrors(maxAge),
  ];
}

function checkpointAgeErrors(maxAge: string): FieldError[] {
  const path = 'spec.checkpoint_retention.max_age';
  if ((parseDuration(maxAge) ?? 0) <= (parseDuration(CHECKPOINT_AGE_MAX) ?? 0)) return positiveDuration(path, maxAge);
  return [{ path, message: `must be at most ${CHECKPOINT_AGE_MAX}, not ${maxAge}` }];
}

export function sessionReferences(spec: SessionSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'AgentSystem', path: 'spec.system' }, spec.system, context);
}

export function sessionChangeReferences({ system, overrides }: SessionSpec, context: RuleContext): Reference[] {
  return changeReferences({ overrides }, 'spec', { ...context, system });
}
