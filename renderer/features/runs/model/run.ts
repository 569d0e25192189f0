// A Task as the console's run screens read it: phases, times, origin. Pure.
import { DOOR_NAMES, taskOrigin } from '@svc/shared/run-origin';
import { ANNOTATION_PREFIX, parseRef, type Resource } from '@svc/shared/resource';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { asKind, type TypedResource } from '../../../kinds/read.ts';

export type Run = TypedResource<'Task'>;

export const TASK = 'Task';
export const RUN_PHASES = ['Running', 'WaitingApproval', 'Pending', 'Succeeded', 'Failed', 'DeadLetter'] as const;

const FAILED: ReadonlySet<string> = new Set(['Failed', 'DeadLetter']);

/** The server's resource with the type of its kind. */
export function asRun(resource: Resource): Run {
  return asKind('Task', resource);
}

/** `namespace/name`: unique among runs, used in addresses of comparisons. */
export function runKey({ metadata }: Pick<Run, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Its namespace and name. */
export function refOf({ metadata: { namespace, name } }: Pick<Run, 'metadata'>): { readonly namespace: string; readonly name: string } {
  return { namespace, name };
}

export function phaseOf(run: Run): string {
  return run.status.phase;
}

export function isTemplate(run: Run): boolean {
  return run.spec.mode === 'template';
}

export function hasEnded(run: Run): boolean {
  return kindNamed(TASK)?.terminalPhases.includes(phaseOf(run)) === true;
}

export function hasFailed(run: Run): boolean {
  return FAILED.has(phaseOf(run));
}

/** Reference to the run's system. */
export function systemOf(run: Run): { readonly kind: 'AgentSystem'; readonly namespace: string; readonly name: string } {
  return { kind: 'AgentSystem', ...parseRef(run.spec.system, run.metadata.namespace) };
}

/** Time since its first attempt, in ms; undefined before. */
export function durationOf(run: Run, now: number): number | undefined {
  const { startedAt, completedAt } = run.status;
  if (startedAt === undefined) return undefined;
  return Math.max(0, (completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt));
}

/** Tokens of an ended run; the status has none before. */
export function tokensOf(run: Run): number | undefined {
  const text = run.status.output?.['tokens_used_total'];
  const tokens = Number(text);
  return text === undefined || !Number.isFinite(tokens) ? undefined : tokens;
}

/** One line: the reason's code and message. */
export function troubleOf(run: Run): { readonly code: string | undefined; readonly message: string | undefined } {
  const { reason, lastError, blockedOn } = run.status;
  return { code: reason, message: lastError ?? blockedOn?.reason };
}

export interface Origin {
  /** Label of `Schedule`, `Webhook`, …. */
  readonly label: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Objects that the run came from: the run it repeats, its Session, schedule or webhook; empty for a run that a person created. */
export function originsOf({ metadata, spec }: Pick<Run, 'metadata' | 'spec'>): Origin[] {
  const retried = metadata.annotations[`${ANNOTATION_PREFIX}retry-of`] ?? '';
  const { door, source } = taskOrigin(metadata, spec);
  return [
    ...(retried === '' ? [] : [{ label: 'Retry of', kind: 'Task', ...parseRef(retried, metadata.namespace) }]),
    ...(source ? [{ label: DOOR_NAMES[door], ...source }] : []),
  ];
}
