// Receivers of a conversation: a terminal, where text appears as it comes, and a pipe, which gets the answer alone.
import type { Invocation } from '../program/invocation.ts';
import { lineAdvances } from '../output/text-width.ts';
import type { Screen } from '../output/screen.ts';
import type { TranscriptSink } from './transcript.ts';

/** Prints the final answer on stdout, everything else on stderr. */
export const createPipeSink = (invocation: Invocation, quiet = false): TranscriptSink => ({
  lines: (...lines) => (quiet ? undefined : invocation.note(...lines)),
  status: () => undefined,
  text: () => undefined,
  takeBack: () => undefined,
  answer: (content) => invocation.out(content),
  end: () => undefined,
});

/** A terminal: text that is withdrawn disappears, unless it has scrolled out of reach. */
export function createTerminalSink({ terminal: { stdout, env }, style }: Invocation): TranscriptSink {
  const block = createBlock(stdout, env['TERM'] === 'dumb');
  /** Text since the last reset, and whether the block holds all of it. */
  let said = '';
  let isWhole = true;
  let showsStatus = false;
  const begin = (text: string) => {
    block.write(text);
    isWhole = true;
  };
  const clearStatus = () => {
    if (showsStatus) block.erase();
    showsStatus = false;
  };
  const takeBack = () => {
    clearStatus();
    if (said !== '' && !(block.erase() && isWhole)) stdout.write(`${style.dim('(the text above was withdrawn)')}\n`);
    said = '';
  };
  const end = () => {
    clearStatus();
    block.end();
    said = '';
  };
  return {
    status(text) {
      if (said !== '') return;
      clearStatus();
      begin(style.dim(`${text}…`));
      showsStatus = true;
    },
    text(delta) {
      clearStatus();
      if (said === '') begin(delta);
      else block.write(delta);
      said += delta;
    },
    lines(...lines) {
      clearStatus();
      const again = said !== '' && block.erase() && isWhole;
      stdout.write(`${lines.join('\n')}\n`);
      if (again) begin(said);
      else isWhole = said === '';
    },
    takeBack,
    answer(content) {
      if (said !== content) {
        takeBack();
        begin(content);
      }
      end();
    },
    end,
  };
}

/** Text at the end of the screen. */
function createBlock(screen: Screen, isDumb: boolean) {
  let printed = '';
  const end = () => {
    if (printed !== '' && !printed.endsWith('\n')) screen.write('\n');
    printed = '';
  };
  return {
    write(text: string): void {
      screen.write(text);
      printed += text;
    },
    /** Keeps the text; what follows begins on a line of its own. */
    end,
    /** False when part of the text has scrolled out of reach: it stays. */
    erase(): boolean {
      const rows = lineAdvances(printed, screen.columns ?? Number.POSITIVE_INFINITY);
      if (isDumb || rows >= (screen.rows ?? Number.POSITIVE_INFINITY)) {
        end();
        return false;
      }
      if (printed !== '') screen.eraseLines(rows);
      printed = '';
      return true;
    },
  };
}
