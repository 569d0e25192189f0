// Target of a retry: the namespace it runs in, and the version of its system. Pure.
import { ANNOTATION_PREFIX, parseRef } from '../../resource.ts';
import type { TrialSpec } from './schema.ts';

export interface RetryTarget {
  readonly namespace: string;
  /** Version of the system; 0 for the current one. */
  readonly generation: number;
}

interface RunSpec {
  readonly system: string;
  readonly trial?: TrialSpec | undefined;
}

/** A run with its own namespace. */
export interface RetriedRun {
  readonly namespace: string;
  readonly spec: RunSpec;
}

const SYSTEM = 'AgentSystem';

/** The system, with its reference read in the namespace of the target. */
export function systemAt({ system }: RunSpec, namespace: string) {
  return { kind: SYSTEM, ...parseRef(system, namespace) };
}

function isSystem({ namespace, spec }: RetriedRun) {
  const system = systemAt(spec, namespace);
  return ({ kind, name }: { readonly kind: string; readonly name: string }) => {
    const ref = parseRef(name, namespace);
    return kind === SYSTEM && ref.namespace === system.namespace && ref.name === system.name;
  };
}

/** Target of the run itself. */
export function targetOf(run: RetriedRun): RetryTarget {
  return { namespace: run.namespace, generation: run.spec.trial?.versions?.find(isSystem(run))?.generation ?? 0 };
}

/** Reason why the run cannot move to another namespace. */
export function staysReason({ trial }: RunSpec): string | undefined {
  const { from, only, pins = [], versions = [] } = trial ?? {};
  if (from || only?.task !== undefined || pins.some(({ task }) => task !== undefined))
    return 'A trial that reuses runs stays in their namespace.';
  return versions.length > 0 ? 'A trial of earlier versions stays in its namespace.' : undefined;
}

/** The trial of a retry with this version of the system; undefined where no trial is left. */
export function trialWith(run: RetriedRun, generation: number): TrialSpec | undefined {
  const { versions: before = [], ...rest } = run.spec.trial ?? {};
  const others = before.filter((each) => !isSystem(run)(each));
  const versions = generation === 0 ? others : [...others, { kind: SYSTEM, name: run.spec.system, generation }];
  const trial = { ...rest, ...(versions.length > 0 && { versions }) };
  return Object.keys(trial).some((key) => key !== 'wait') ? trial : undefined;
}

/** Labels or annotations that a retry takes to another namespace: those of the service name objects of the old one. */
export function marksElsewhere(marks: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(marks).filter(([key]) => !key.startsWith(ANNOTATION_PREFIX)));
}
