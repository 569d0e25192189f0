// Text of running model calls on a terminal, between the lines of a run's steps: one paragraph for each stretch of an agent's text.
import type { LiveText } from '@svc/shared/api/runs';
import type { TraceEntry } from '../api/trace-entry.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';

export interface LiveTextView {
  /** `prefix` precedes each paragraph. */
  readonly show: (item: LiveText, prefix?: string) => void;
  /** The step without an output that was printed as live text. */
  readonly withoutShown: (entry: TraceEntry) => TraceEntry;
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

export function createLiveTextView(screen: Screen, style: Style): LiveTextView {
  /** Call with an open paragraph. `openLine`: its last line is not ended yet. */
  let speaking: string | undefined;
  let openLine = false;
  /** Printed text of the running call of each agent: a new connection repeats it, and the step that ends the call has it as its output. */
  const printed = new Map<string, { readonly call: string; readonly text: string }>();
  const agentOf = ({ branch_id = '', agent = '' }: Pick<TraceEntry, 'branch_id' | 'agent'>) => `${branch_id} ${agent}`;
  const endParagraph = () => {
    if (openLine) screen.write('\n');
    speaking = undefined;
    openLine = false;
  };
  return {
    endParagraph,
    withoutShown(entry) {
      const { output, ...rest } = entry;
      const shown = printed.get(agentOf(entry));
      return shown !== undefined && shown.text === output ? rest : entry;
    },
    show(item, prefix = '') {
      const agent = agentOf(item);
      if (!('text' in item)) {
        endParagraph();
        printed.delete(agent);
        return screen.write(`${prefix}${style.dim(`${item.agent}: ${RESETS[item.reset]}`)}\n`);
      }
      const shown = printed.get(agent);
      const before = shown?.call === item.request_id ? shown.text : '';
      const text = item.text.slice(Math.max(0, before.length - item.at));
      if (text === '') return;
      printed.set(agent, { call: item.request_id, text: before + text });
      if (speaking !== item.request_id) {
        endParagraph();
        screen.write(`${prefix}${style.dim(`${item.agent}:`)} `);
        speaking = item.request_id;
      }
      screen.write(text);
      openLine = !text.endsWith('\n');
    },
  };
}
