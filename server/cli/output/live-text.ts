// Text of running model calls on a terminal, between the lines of a run's steps: one paragraph for each stretch of an agent's text.
import type { LiveText } from '@svc/shared/api/runs';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';

export interface LiveTextView {
  readonly show: (item: LiveText) => void;
  /** Ends a paragraph, before lines that follow it. */
  readonly endParagraph: () => void;
}

const RESETS = {
  taken_back: 'the call failed or was stopped; its text is taken back',
  sent_again: 'another worker makes this call again',
  behind: 'text was skipped; the trace has all of it',
} as const;

export function createLiveTextView(screen: Screen, style: Style): LiveTextView {
  /** The call whose paragraph is open, and whether its last line is. */
  let speaking: string | undefined;
  let openLine = false;
  /** How much of each call was printed: a connection that is made again repeats it. */
  const printed = new Map<string, number>();
  const endParagraph = () => {
    if (openLine) screen.write('\n');
    speaking = undefined;
    openLine = false;
  };
  return {
    endParagraph,
    show(item) {
      if (!('text' in item)) {
        endParagraph();
        printed.delete(item.request_id);
        return screen.write(`${style.dim(`${item.agent}: ${RESETS[item.reset]}`)}\n`);
      }
      const before = printed.get(item.request_id) ?? 0;
      const text = item.text.slice(Math.max(0, before - item.at));
      if (text === '') return;
      printed.set(item.request_id, item.at + item.text.length);
      if (speaking !== item.request_id) {
        endParagraph();
        screen.write(`${style.dim(`${item.agent}:`)} `);
        speaking = item.request_id;
      }
      screen.write(text);
      openLine = !text.endsWith('\n');
    },
  };
}
