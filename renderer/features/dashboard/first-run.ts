// The steps from an empty server to a first run: which are done, by the objects on the server. Pure.

export interface FirstStep {
  readonly kind: 'ModelEndpoint' | 'Agent' | 'AgentSystem' | 'Task';
  readonly title: string;
  readonly text: string;
  readonly action: string;
}

export const FIRST_STEPS: readonly FirstStep[] = [
  {
    kind: 'ModelEndpoint',
    title: 'Connect a model',
    text: 'A provider and its key, or the mock model, which needs no key.',
    action: 'Create a model',
  },
  { kind: 'Agent', title: 'Describe an agent', text: 'A prompt, a model and the tools it may use.', action: 'Create an agent' },
  {
    kind: 'AgentSystem',
    title: 'Connect agents in a system',
    text: 'Draw on a canvas which agent passes work to which.',
    action: 'Design a system',
  },
  { kind: 'Task', title: 'Run it', text: 'Watch each step as it is recorded.', action: 'Choose a system' },
];

export interface FirstRunState {
  /** By step. */
  readonly done: readonly boolean[];
  /** The first open step; undefined when all are done. */
  readonly next: number | undefined;
}

export function firstRunState(counts: readonly { readonly count: number }[]): FirstRunState {
  const done = FIRST_STEPS.map((_, index) => (counts[index]?.count ?? 0) > 0);
  const next = done.indexOf(false);
  return { done, next: next < 0 ? undefined : next };
}
