// Draft of the next trial of a system: breakpoints, pinned outputs, the part that runs, the deadline. Pure.
import { durationMs, parseDuration } from '@svc/shared/duration';
import { BREAKPOINT_WAIT_MAX } from '@svc/shared/kinds/task/trial-limits';
import type { NodeMarks, TrialMarks } from '../../../graph/trial-marks.ts';
import type { Trial, TrialBody } from './trial-text.ts';

export type Place = 'before' | 'after';

/** Either an output or an earlier run. */
export interface PinDraft {
  readonly node: string;
  readonly output?: string;
  readonly task?: string;
}

export interface TrialDraft {
  readonly breakpoints: readonly { readonly node: string; readonly at: Place }[];
  readonly pins: readonly PinDraft[];
  /** Longest wait at a breakpoint; empty for the server's default. */
  readonly wait: string;
}

export const NO_TRIAL: TrialDraft = { breakpoints: [], pins: [], wait: '' };

/** The part of the system that runs. `task` may be empty with `only`: then the agent receives the input of the run. */
export type TrialScope =
  | { readonly part: 'whole' }
  | { readonly part: 'only'; readonly node: string; readonly task: string }
  | { readonly part: 'from'; readonly node: string; readonly task: string };

export const WHOLE: TrialScope = { part: 'whole' };

const WAIT_MAX_MS = durationMs(BREAKPOINT_WAIT_MAX, BREAKPOINT_WAIT_MAX);

export function isEmpty({ breakpoints, pins }: TrialDraft): boolean {
  return breakpoints.length === 0 && pins.length === 0;
}

export function stopsAt({ breakpoints }: TrialDraft, node: string, at: Place): boolean {
  return breakpoints.some((point) => point.node === node && point.at === at);
}

export function toggleStop(draft: TrialDraft, node: string, at: Place): TrialDraft {
  const others = draft.breakpoints.filter((point) => point.node !== node || point.at !== at);
  return { ...draft, breakpoints: stopsAt(draft, node, at) ? others : [...others, { node, at }] };
}

export function pinOf({ pins }: TrialDraft, node: string): PinDraft | undefined {
  return pins.find((pin) => pin.node === node);
}

/** Replaces the pin of its agent. */
export function withPin(draft: TrialDraft, pin: PinDraft): TrialDraft {
  return { ...draft, pins: [...draft.pins.filter(({ node }) => node !== pin.node), pin] };
}

export function withoutPin(draft: TrialDraft, node: string): TrialDraft {
  return { ...draft, pins: draft.pins.filter((pin) => pin.node !== node) };
}

export function withoutNode({ breakpoints, pins, wait }: TrialDraft, node: string): TrialDraft {
  const others = (each: { readonly node: string }) => each.node !== node;
  return { breakpoints: breakpoints.filter(others), pins: pins.filter(others), wait };
}

/** The draft after an agent got another name. */
export function withRenamedNode(draft: TrialDraft, node: string, to: string): TrialDraft {
  const renamed = <T extends { readonly node: string }>(each: T): T => (each.node === node ? { ...each, node: to } : each);
  return { ...draft, breakpoints: draft.breakpoints.map(renamed), pins: draft.pins.map(renamed) };
}

/** Problem of a deadline, as a sentence. */
export function waitProblem(wait: string): string | undefined {
  if (wait.trim() === '') return undefined;
  const ms = parseDuration(wait.trim());
  if (ms === undefined || ms <= 0) return 'Write a duration such as 30m or 2h';
  return ms > WAIT_MAX_MS ? `At most ${BREAKPOINT_WAIT_MAX}` : undefined;
}

/** The first reason why it cannot be started. */
export function trialProblem(draft: TrialDraft, scope: TrialScope, nodes: readonly string[]): string | undefined {
  const lost = [...draft.breakpoints, ...draft.pins].find(({ node }) => !nodes.includes(node))?.node;
  if (lost !== undefined) return `Remove ${lost} from the trial: it is no longer in the system`;
  if (scope.part === 'from' && scope.task === '') return 'Run the system once first: a trial uses its recorded results';
  return draft.breakpoints.length > 0 ? waitProblem(draft.wait) : undefined;
}

/** `spec.trial` of the Task; undefined for an ordinary run. An agent that runs alone takes no pins. */
export function trialSpecOf({ breakpoints, pins, wait }: TrialDraft, scope: TrialScope = WHOLE): TrialBody | undefined {
  const used = scope.part === 'only' ? [] : pins;
  if (breakpoints.length === 0 && used.length === 0 && scope.part === 'whole') return undefined;
  return {
    ...(breakpoints.length > 0 && { breakpoints }),
    ...(used.length > 0 && { pins: used }),
    ...(breakpoints.length > 0 && wait.trim() !== '' && { wait: wait.trim() }),
    ...(scope.part === 'only' && { only: { node: scope.node, ...(scope.task !== '' && { task: scope.task }) } }),
    ...(scope.part === 'from' && { from: { node: scope.node, task: scope.task } }),
  };
}

/** The draft that repeats a trial. */
export function draftOfTrial({ breakpoints = [], pins = [], wait }: Trial): TrialDraft {
  return {
    breakpoints: breakpoints.map(({ node, at }) => ({ node, at: at === 'after' ? 'after' : 'before' })),
    pins,
    wait,
  };
}

export function scopeOfTrial({ only, from }: Trial): TrialScope {
  if (only) return { part: 'only', node: only.node, task: only.task ?? '' };
  return from ? { part: 'from', node: from.node, task: from.task } : WHOLE;
}

export function marksOf({ breakpoints, pins }: Pick<TrialDraft, 'breakpoints' | 'pins'>): TrialMarks {
  const marks = new Map<string, NodeMarks>();
  const add = (node: string, mark: Partial<NodeMarks>) =>
    marks.set(node, { before: false, after: false, pin: undefined, ...marks.get(node), ...mark });
  for (const { node, at } of breakpoints) add(node, at === 'before' ? { before: true } : { after: true });
  for (const { node, task = 'spec' } of pins) add(node, { pin: task });
  return marks;
}

/** A kept draft; undefined for an invalid text. */
export function readTrialDraft(text: string): TrialDraft | undefined {
  try {
    const { breakpoints, pins, wait } = JSON.parse(text) as Partial<TrialDraft>;
    if (!Array.isArray(breakpoints) || !Array.isArray(pins)) return undefined;
    return { breakpoints: breakpoints as TrialDraft['breakpoints'], pins: pins as TrialDraft['pins'], wait: wait ?? '' };
  } catch {
    return undefined;
  }
}
