// Text of running model calls on a terminal, between the lines of a run's steps. Of parallel calls one is printed as it comes; the text of the others
// waits for the end of that call or of their own.
import type { LiveText } from '@svc/shared/api/runs';
import type { TraceEntry } from '../api/trace-entry.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';

export interface LiveTextView {
  /** `prefix` precedes each paragraph. */
  readonly show: (item: LiveText, prefix?: string) => void;
  /** Ends the call that the entry ends, with the rest of its text. Returns the entry without an output that was printed. */
  readonly endCall: (entry: TraceEntry, prefix?: string) => TraceEntry;
  /** Ends a paragraph, before lines that follow it. */
  readonly endParagraph: () => void;
}

const RESETS = {
  taken_back: 'the call failed or was stopped; its text is withdrawn',
  sent_again: 'another worker makes this call again',
  behind: 'text was skipped; the trace has all of it',
} as const;

/** Options of commands that follow a run. */
export const LIVE_OPTIONS = {
  on: ['--live', 'with -f: print model text as it comes, even when the output is not a terminal'],
  off: ['--no-live', 'with -f: print no model text as it comes'],
} as const;

/** Files and pipes get live text on request only. */
export function liveTextWanted({ live }: { readonly live?: boolean | undefined }, screen: Pick<Screen, 'isTTY'>): boolean {
  return live ?? screen.isTTY;
}

/** Text of the last call of an agent, kept behind its end: a new connection repeats it, and later steps have it as their output. */
interface HeardCall {
  readonly call: string;
  /** All of it. Not read before the end: V8 joins the pieces of a text when it is read, which for each piece would take quadratic time. */
  readonly text: string;
  /** The end of it that was not printed. */
  readonly waiting: string;
}

export function createLiveTextView(screen: Screen, style: Style): LiveTextView {
  const heard = new Map<string, HeardCall>();
  /** Agent whose text is printed as it comes. */
  let speaker: string | undefined;
  let paragraph: 'none' | 'open line' | 'whole line' = 'none';
  const keyOf = ({ branch_id = '', agent = '' }: Pick<TraceEntry, 'branch_id' | 'agent'>, prefix: string) =>
    `${prefix} ${branch_id} ${agent}`;
  const endParagraph = () => {
    if (paragraph === 'open line') screen.write('\n');
    paragraph = 'none';
  };
  const print = (key: string, label: string) => {
    const call = heard.get(key);
    if (call === undefined || call.waiting === '') return;
    screen.write(`${paragraph === 'none' ? `${label} ` : ''}${call.waiting}`);
    paragraph = call.waiting.endsWith('\n') ? 'whole line' : 'open line';
    heard.set(key, { ...call, waiting: '' });
  };
  const labelOf = (agent: string | undefined, prefix: string) => `${prefix}${style.dim(`${agent ?? ''}:`)}`;
  const silence = (key: string) => {
    if (speaker !== key) return;
    endParagraph();
    speaker = undefined;
  };
  return {
    endParagraph,
    endCall(entry, prefix = '') {
      const key = keyOf(entry, prefix);
      const call = heard.get(key);
      // The first text of a call may precede the entry that starts it.
      if (call === undefined || entry.type === 'model_call') return entry;
      const { output, ...rest } = entry;
      const isWhole = call.text === output;
      if (speaker !== key) endParagraph();
      if (isWhole) print(key, labelOf(entry.agent, prefix));
      endParagraph();
      if (speaker === key) speaker = undefined;
      return isWhole ? rest : entry;
    },
    show(item, prefix = '') {
      const key = keyOf(item, prefix);
      const known = heard.get(key);
      if (!('text' in item)) {
        silence(key);
        heard.delete(key);
        if (known === undefined || known.waiting.length === known.text.length) return;
        endParagraph();
        return screen.write(`${labelOf(item.agent, prefix)} ${style.dim(RESETS[item.reset])}\n`);
      }
      const before = known?.call === item.request_id ? known : { call: item.request_id, text: '', waiting: '' };
      const text = item.text.slice(Math.max(0, before.text.length - item.at));
      if (text === '') return;
      if (before !== known) silence(key);
      heard.set(key, { ...before, text: before.text + text, waiting: before.waiting + text });
      speaker ??= key;
      if (speaker === key) print(key, labelOf(item.agent, prefix));
    },
  };
}
