// A Task as the console's run screens read it: phases, times, origin. Pure.
import { activeMs, DECIDED_REASONS, peopleMs, taskOutcome } from '@svc/shared/kinds/task/outcome';
import { runOutput } from '@svc/shared/kinds/task/run-output';
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
export function runKey({ metadata }: { readonly metadata: Pick<Run['metadata'], 'namespace' | 'name'> }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Its namespace and name. */
export function refOf({ metadata: { namespace, name } }: Pick<Run, 'metadata'>): { readonly namespace: string; readonly name: string } {
  return { namespace, name };
}

/** Name of an object on the screen of the run; with its namespace where that is another one. */
export function nameFrom(
  { metadata }: Pick<Run, 'metadata'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return namespace === metadata.namespace ? name : `${namespace}/${name}`;
}

export function phaseOf(run: Run): string {
  return run.status.phase;
}

/** Its phase, or Cancelled or Denied for an end that a person chose. */
export function outcomeOf(run: Run): string {
  return taskOutcome(run.status);
}

/** Whether a person ended it, by cancelling it or by denying its call or output. */
export function wasStopped(run: Run): boolean {
  return Object.values<string>(DECIDED_REASONS).includes(outcomeOf(run));
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

/** Time since its first attempt without waits for people, in ms; undefined before. */
export function durationOf(run: Run, now: number): number | undefined {
  return activeMs(run.status, now);
}

/** Time in which it waited for people alone, in ms. */
export function waitedOf(run: Run, now: number): number {
  return peopleMs(run.status, now);
}

/** Tokens of an ended run; the status has none before. */
export function tokensOf(run: Run): number | undefined {
  return runOutput(run.status.output).tokens;
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
  /** Agent from which it repeats the other run. */
  readonly at?: string;
}

/** `namespace/name` of the run that this one repeats. */
export function retryOf({ metadata }: Pick<Run, 'metadata'>): string | undefined {
  const retried = metadata.annotations[`${ANNOTATION_PREFIX}retry-of`] ?? '';
  return retried === '' ? undefined : runKey({ metadata: parseRef(retried, metadata.namespace) });
}

/** The run that this one repeats. */
function retriedBy({ metadata }: Pick<Run, 'metadata'>): Origin | undefined {
  const retried = retryOf({ metadata });
  return retried === undefined ? undefined : { label: 'Retry of', kind: TASK, ...parseRef(retried, metadata.namespace) };
}

/** The run that a trial repeats from an agent on. */
function forkedFrom({ metadata: { namespace }, spec: { trial } }: Pick<Run, 'metadata' | 'spec'>): Origin | undefined {
  const { node, task } = trial?.from ?? trial?.only ?? {};
  return task === undefined || node === undefined ? undefined : { label: 'Fork of', kind: TASK, namespace, name: task, at: node };
}

/** The run that it repeats whole, or from one of its agents on. */
export function earlierRun(run: Pick<Run, 'metadata' | 'spec'>): Origin | undefined {
  return retriedBy(run) ?? forkedFrom(run);
}

/** Objects that the run came from: an earlier run, its Session, schedule or webhook; empty for a run that a person created. */
export function originsOf(run: Pick<Run, 'metadata' | 'spec'>): Origin[] {
  const earlier = earlierRun(run);
  const { door, source } = taskOrigin(run.metadata, run.spec);
  return [...(earlier ? [earlier] : []), ...(source ? [{ label: DOOR_NAMES[door], ...source }] : [])];
}
