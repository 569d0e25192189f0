// The kinds by name and by path segment, light enough for the first screen.
import { kindTable as madeAtBuild } from 'virtual:kind-table';
import type { KindSummary } from './kind-summary.ts';

/** Every kind, in the order in which dependent objects can be applied. */
export const kindTable = madeAtBuild as readonly KindSummary[];

const byName = new Map(kindTable.map((kind) => [kind.kind, kind]));
const byPlural = new Map(kindTable.map((kind) => [kind.plural, kind]));

/** The kind with this exact `kind` field, `AgentSystem`. */
export function kindNamed(name: string): KindSummary | undefined {
  return byName.get(name);
}

/** The kind of a path segment, `agent-systems`. */
export function kindOfPlural(plural: string): KindSummary | undefined {
  return byPlural.get(plural);
}

/** Whether `action` is allowed in `phase`, by the kind's one table, which the server's guards use too. */
export function mayAct(kind: string, action: string, phase: string | undefined): boolean {
  return phase !== undefined && (byName.get(kind)?.actions.some((each) => each.action === action && each.from.includes(phase)) ?? false);
}

/** Whether the kind consists of tools that agents call. */
export function isCallable(kind: string): boolean {
  return byName.get(kind)?.verdictPart === 'tool';
}

/** Kinds that a verdict on a call depends on: those that a what-if may change. */
export const verdictKinds: readonly string[] = kindTable.flatMap(({ kind, verdictPart }) => (verdictPart === undefined ? [] : [kind]));

/** Whether values of the kind are written and never read back. */
export function isWriteOnly(kind: unknown): boolean {
  return typeof kind === 'string' && byName.get(kind)?.writeOnly === true;
}
