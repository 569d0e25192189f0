// One stack of versions for undo and redo, shared by canvas, outline, inspector and the keyboard in the YAML. Pure.
import type { Placement } from '../../../graph/layout.ts';
import { NO_DRAFTS, type Drafts } from './drafts.ts';

/** State that undo restores: the text, the positions and the objects drafted beside the system. */
export interface Version {
  readonly text: string;
  readonly placement: Placement;
  readonly drafts: Drafts;
}

interface Step extends Version {
  /** Change that led to the next version: "Connect a to b". */
  readonly label: string;
}

export interface History extends Version {
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** Quick successive changes of one group share an undo step. */
  readonly group: string | undefined;
  readonly at: number;
}

export interface Change extends Partial<Version> {
  readonly label: string;
  /** Keystrokes in one field are one group. */
  readonly group?: string;
  readonly now: number;
}

const GROUP_MS = 1200;
const STEPS_MAX = 300;

export function startHistory(version: Version): History {
  return { ...version, past: [], future: [], group: undefined, at: 0 };
}

const stepOf = ({ text, placement, drafts }: Version, label: string): Step => ({ text, placement, drafts, label });

export function change(history: History, { label, group, now, ...changed }: Change): History {
  const { text, placement, drafts } = { ...history, ...changed };
  if (text === history.text && placement === history.placement && drafts === history.drafts) return history;
  const goesOn = group !== undefined && group === history.group && now - history.at < GROUP_MS;
  const past = goesOn ? history.past : [...history.past, stepOf(history, label)].slice(-STEPS_MAX);
  return { text, placement, drafts, past, future: [], group, at: now };
}

/** Forgets the drafts of all other versions: applied or discarded ones must not return by an undo of something else. */
export function withoutDrafts(history: History): History {
  const bare = (step: Step): Step => ({ ...step, drafts: NO_DRAFTS });
  return { ...history, past: history.past.map(bare), future: history.future.map(bare) };
}

/** Extends the last step: it is undone with it. */
export function amend(history: History, placement: Placement): History {
  return { ...history, placement };
}

export function undo(history: History): History {
  const step = history.past.at(-1);
  if (!step) return history;
  const { text, placement, drafts, label } = step;
  return {
    ...history,
    text,
    placement,
    drafts,
    past: history.past.slice(0, -1),
    future: [stepOf(history, label), ...history.future],
    group: undefined,
  };
}

export function redo(history: History): History {
  const [step, ...future] = history.future;
  if (!step) return history;
  const { text, placement, drafts, label } = step;
  return { ...history, text, placement, drafts, past: [...history.past, stepOf(history, label)], future, group: undefined };
}
