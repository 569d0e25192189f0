// One stack of texts for undo and redo, whoever made the change: canvas, outline, inspector or keyboard in the YAML. Pure.

interface Step {
  readonly text: string;
  /** What was done to come to the next text: "Connect a to b". */
  readonly label: string;
}

export interface History {
  readonly text: string;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** Changes of this group go on in the same step while they come quickly. */
  readonly group: string | undefined;
  readonly at: number;
}

export interface Change {
  readonly text: string;
  readonly label: string;
  /** Keystrokes in one field are one group. */
  readonly group?: string;
  readonly now: number;
}

const GROUP_MS = 1200;
const STEPS_MAX = 300;

export function startHistory(text: string): History {
  return { text, past: [], future: [], group: undefined, at: 0 };
}

export function change(history: History, { text, label, group, now }: Change): History {
  if (text === history.text) return history;
  const goesOn = group !== undefined && group === history.group && now - history.at < GROUP_MS;
  const past = goesOn ? history.past : [...history.past, { text: history.text, label }].slice(-STEPS_MAX);
  return { text, past, future: [], group, at: now };
}

export function undo(history: History): History {
  const step = history.past.at(-1);
  if (!step) return history;
  const future = [{ text: history.text, label: step.label }, ...history.future];
  return { ...history, text: step.text, past: history.past.slice(0, -1), future, group: undefined };
}

export function redo(history: History): History {
  const [step, ...future] = history.future;
  if (!step) return history;
  return { ...history, text: step.text, past: [...history.past, { text: history.text, label: step.label }], future, group: undefined };
}
