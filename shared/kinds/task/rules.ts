// Rules of Task at write time. Whether its system exists and its graph can run is judged when the run starts.
import { parseDuration } from '../../duration.ts';
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed, unique } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, capabilityText, durationText, objectRef, oneOf, problemAt } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { changeReferences, normalizeTrial, validateTrial } from './trial.ts';
import { PRIORITIES, RETRY_JITTERS, TASK_MODES, type WrittenTaskSpec } from './schema.ts';

const MAX_ATTEMPTS_DEFAULT = 1;
export const BACKOFF_DEFAULT = '0s';
export const MAX_BACKOFF_DEFAULT = '24h';

export function normalizeTask(spec: WrittenTaskSpec) {
  const retry = {
    max_attempts: spec.retry?.max_attempts || MAX_ATTEMPTS_DEFAULT,
    backoff: trimmed(spec.retry?.backoff) ?? BACKOFF_DEFAULT,
  };
  const messageRetry = spec.message_retry;
  return defined({
    ...spec,
    system: spec.system.trim(),
    mode: keyword(spec.mode) ?? 'run',
    input: spec.input ?? {},
    priority: keyword(spec.priority?.toString()) ?? 'normal',
    retry,
    message_retry: defined({
      max_attempts: messageRetry?.max_attempts || retry.max_attempts,
      backoff: trimmed(messageRetry?.backoff) ?? retry.backoff,
      max_backoff: trimmed(messageRetry?.max_backoff) ?? MAX_BACKOFF_DEFAULT,
      jitter: keyword(messageRetry?.jitter) ?? 'full',
      non_retryable: unique(messageRetry?.non_retryable),
    }),
    trial: spec.trial && normalizeTrial(spec.trial),
    requirements:
      spec.requirements &&
      defined({ ...spec.requirements, region: trimmed(spec.requirements.region), model: trimmed(spec.requirements.model) }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type TaskSpec = ReturnType<typeof normalizeTask>;

export function validateTask(spec: TaskSpec): FieldError[] {
  const { retry, message_retry: messageRetry } = spec;
  return [
    ...objectRef('spec.system', spec.system),
    ...validateTrial(spec.trial, spec.mode),
    ...oneOf('spec.mode', spec.mode, TASK_MODES),
    ...problemAt('spec.priority', priorityProblem(spec.priority?.toString())),
    ...atLeast('spec.max_turns', spec.max_turns, 0),
    ...atLeast('spec.retry.max_attempts', retry?.max_attempts, 1),
    ...durationText('spec.retry.backoff', retry?.backoff),
    ...inheritedErrors(spec),
    ...durationText('spec.message_retry.max_backoff', messageRetry?.max_backoff),
    ...oneOf('spec.message_retry.jitter', messageRetry?.jitter, RETRY_JITTERS),
    ...capabilityText('spec.requirements.region', spec.requirements?.region),
    ...capabilityText('spec.requirements.model', spec.requirements?.model),
  ];
}

/** Values that message_retry took over from retry are reported there only. */
function inheritedErrors({ retry, message_retry: messageRetry }: TaskSpec): FieldError[] {
  return [
    ...(messageRetry.max_attempts === retry.max_attempts ? [] : atLeast('spec.message_retry.max_attempts', messageRetry.max_attempts, 1)),
    ...(messageRetry.backoff === retry.backoff ? [] : durationText('spec.message_retry.backoff', messageRetry.backoff)),
  ];
}

/**
 * Whether the Task says nothing of its own about retries of messages.
 * Equal numbers count as inherited. A client that reads a spec and applies it sends the inherited numbers, so equality has one meaning only.
 */
export function inheritsRetry({ retry, message_retry: messageRetry }: TaskSpec): boolean {
  return messageRetry.max_attempts === retry.max_attempts && parseDuration(messageRetry.backoff) === parseDuration(retry.backoff);
}

function priorityProblem(priority: string | undefined): string | undefined {
  if (priority === undefined || PRIORITIES.some((word) => word === priority)) return undefined;
  const safe = /^[+-]?\d{1,15}$/.test(priority);
  return safe ? undefined : `must be one of ${PRIORITIES.join(', ')}, or an integer, not "${priority}"`;
}

export function taskReferences(spec: TaskSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'AgentSystem', path: 'spec.system' }, spec.system, context);
}

export function taskChangeReferences({ system, trial }: TaskSpec, context: RuleContext): Reference[] {
  return trial ? changeReferences(trial, 'spec.trial', { ...context, system }) : [];
}
