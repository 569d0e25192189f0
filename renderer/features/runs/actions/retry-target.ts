// Where a retry runs: its namespace, and the version of its system. Pure.
import { ANNOTATION_PREFIX, parseRef } from '@svc/shared/resource';
import type { NewObject } from '../../../live/creator.ts';
import { runName } from '../model/run-name.ts';
import { TASK, type Run } from '../model/run.ts';

export interface RetryTarget {
  readonly namespace: string;
  /** Version of the system; 0 for the current one. */
  readonly generation: number;
}

const SYSTEM = 'AgentSystem';

/** The system as it is named in the namespace of the target. */
export function systemAt({ spec }: Run, namespace: string) {
  return { kind: SYSTEM, ...parseRef(spec.system, namespace) };
}

const isSystem = (run: Run) => {
  const system = systemAt(run, run.metadata.namespace);
  return ({ kind, name }: { readonly kind: string; readonly name: string }) => {
    const ref = parseRef(name, run.metadata.namespace);
    return kind === SYSTEM && ref.namespace === system.namespace && ref.name === system.name;
  };
};

/** As the run was started itself. */
export function targetOf(run: Run): RetryTarget {
  return { namespace: run.metadata.namespace, generation: run.spec.trial?.versions?.find(isSystem(run))?.generation ?? 0 };
}

/** Reason why the run cannot move to another namespace. */
export function staysReason({ spec: { trial } }: Run): string | undefined {
  const { from, only, pins = [], versions = [] } = trial ?? {};
  if (from || only?.task !== undefined || pins.some(({ task }) => task !== undefined))
    return 'A trial that reuses runs stays in their namespace.';
  return versions.length > 0 ? 'A trial of earlier versions stays in its namespace.' : undefined;
}

interface RetryTask extends RetryTarget {
  readonly input: Readonly<Record<string, string>>;
}

/** The Task of a retry with another target; undefined for an ordinary retry. */
export function taskElsewhere(run: Run, { namespace, generation, input }: RetryTask, now: Date): NewObject | undefined {
  const own = targetOf(run);
  if (namespace === own.namespace && generation === own.generation) return undefined;
  const { trial, ...spec } = run.spec;
  const { versions: before = [], ...rest } = trial ?? {};
  const system = { kind: SYSTEM, name: spec.system, generation };
  const versions = [...before.filter((each) => !isSystem(run)(each)), ...(generation === 0 ? [] : [system])];
  const changed = { ...rest, ...(versions.length > 0 && { versions }) };
  const labels = Object.fromEntries(Object.entries(run.metadata.labels).filter(([key]) => !key.startsWith(ANNOTATION_PREFIX)));
  return {
    apiVersion: 'svc.dev/v1',
    kind: TASK,
    metadata: { name: runName(parseRef(spec.system, namespace).name, now), namespace, labels },
    spec: { ...spec, input, ...(Object.keys(changed).some((key) => key !== 'wait') && { trial: changed }) },
  };
}
