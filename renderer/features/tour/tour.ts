// The tour as data: its steps, its objects, and the step for a server's state. Pure.
import { choiceParam, textParam } from '../../navigation/search-state.ts';
import { namespaceProblem } from '@svc/shared/resource';

export const STEPS = [
  { id: 'start', title: 'Welcome' },
  { id: 'look', title: 'The system' },
  { id: 'run', title: 'Run and decide' },
  { id: 'done', title: 'Summary' },
] as const;

export const TOUR_PARAMS = { step: choiceParam(['start', 'look', 'run', 'done']), ns: textParam, run: textParam };

export const BLUEPRINT = 'approval';
export const SYSTEM = 'approval';
export const AGENT = 'refund-clerk';
export const TOOL = 'refund';

/** Label of every object of the tour, by which the clean-up finds them. */
export const TOUR_LABEL = 'svc.dev/tour';
export const TOUR_SELECTOR = `${TOUR_LABEL}=welcome`;

export interface TourDocument {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Purpose of each kind of the blueprint, in a few words. */
export const PURPOSES: Readonly<Record<string, string>> = {
  ModelEndpoint: 'The mock model: it answers by a script, so no key and no network are needed.',
  Tool: 'A command of this machine that only prints what it would pay.',
  ToolPermission: 'The rule that a person decides on each payment, within an hour.',
  Agent: 'Pays the refund and writes to the customer.',
  AgentSystem: 'The clerk, and a review of the letter before the run ends.',
};

/** The blueprint's documents as the tour applies them: labelled, and without the run, which the person starts. */
export function tourDocuments(documents: readonly TourDocument[]): TourDocument[] {
  return documents
    .filter(({ kind }) => kind !== 'Task')
    .map((document) => ({
      ...document,
      metadata: { ...document.metadata, labels: { ...document.metadata.labels, [TOUR_LABEL]: 'welcome' } },
    }));
}

export interface TakenName {
  readonly kind: string;
  readonly name: string;
}

/** Existing objects of these names that are not the tour's: applying would change somebody's work. */
export function takenBy(
  documents: readonly TourDocument[],
  there: readonly { readonly kind: string; readonly metadata: TourDocument['metadata'] }[],
): TakenName[] {
  return there
    .filter(({ kind, metadata }) => documents.some((each) => each.kind === kind && each.metadata.name === metadata.name))
    .filter(({ metadata }) => metadata.labels?.[TOUR_LABEL] !== 'welcome')
    .map(({ kind, metadata }) => ({ kind, name: metadata.name }));
}

/** Reason why the tour cannot use a namespace of this name. */
export function homeProblem(namespace: string): string | undefined {
  if (namespace === '') return 'Enter a namespace.';
  const problem = namespaceProblem(namespace);
  return problem === undefined ? undefined : `It ${problem}.`;
}

/** A name for the run, unique in practice. */
export function runName(now: number): string {
  return `tour-${now.toString(36)}`;
}
