// Lines that a person types: editing and history by readline, several lines as one message, and nothing typed before a question answers it.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../program/terminal.ts';

type TypedLine =
  | { readonly type: 'text'; readonly text: string }
  /** Ctrl-C, with or without something typed. */
  | { readonly type: 'interrupt'; readonly isEmpty: boolean }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly type: 'end' }
  /** The signal came first. */
  | { readonly type: 'aborted' };

export interface LineReader {
  /** A message: a line ending in `\` continues on the next, `"""` begins and ends several lines, and pasted lines stay together. */
  readonly message: (prompt: string) => Promise<TypedLine>;
  /** Drops what was typed before a question could be read. Answers whether Ctrl-C was among it. */
  readonly discard: () => Promise<boolean>;
  /** An answer to a question, which is not part of the history. */
  readonly answer: (prompt: string, signal: AbortSignal) => Promise<TypedLine>;
}

/** Lines that arrive together were pasted. */
const PASTE_MS = 20;
const DRAIN_MS = 50;
const HISTORY_MAX = 500;
const CTRL_C = '\u0003';
const QUOTES = '"""';
const BLOCK = /^\s*"""[^]*"""\s*$/;
const CONTINUED = '… ';

interface Prompt {
  readonly prompt: string;
  readonly signal?: AbortSignal;
  /** Earlier lines, the newest first; changed in place. */
  readonly history?: string[];
}

export function createLineReader(terminal: Terminal): LineReader {
  const history: string[] = [];
  return {
    async message(prompt) {
      let text = '';
      for (let ask = prompt; ; ask = CONTINUED) {
        const typed = await readLines(terminal, { prompt: ask, history });
        if (typed.type !== 'text') return typed;
        text += typed.text;
        // Quotes within a message are part of it, such as those of pasted code.
        const [isOpen, block] = text.trimStart().startsWith(QUOTES) ? [!BLOCK.test(text), text.trim().slice(3, -3)] : [false, text];
        if (!isOpen && !text.endsWith('\\')) return { type: 'text', text: block.trim() };
        text = isOpen ? `${text}\n` : `${text.slice(0, -1)}\n`;
      }
    },
    answer: (prompt, signal) => readLines(terminal, { prompt, signal }),
    discard: () => drain(terminal),
  };
}

function readLines({ stdin, stdout, stderr }: Terminal, { prompt, signal, history }: Prompt): Promise<TypedLine> {
  if (signal?.aborted) return Promise.resolve({ type: 'aborted' });
  const output = (stdout.isTTY ? stdout : stderr).stream;
  const lines: string[] = [];
  const reader = createInterface({
    input: stdin,
    output,
    terminal: true,
    prompt,
    history: [...(history ?? [])],
    historySize: history ? HISTORY_MAX : 0,
    removeHistoryDuplicates: true,
  });
  return new Promise((resolve) => {
    let paste: NodeJS.Timeout | undefined;
    const settle = (typed: TypedLine) => {
      clearTimeout(paste);
      signal?.removeEventListener('abort', abort);
      reader.off('close', ended).close();
      if (typed.type !== 'text') output.write('\n');
      resolve(typed);
    };
    const abort = () => settle({ type: 'aborted' });
    const ended = () => settle(lines.length > 0 ? { type: 'text', text: lines.join('\n') } : { type: 'end' });
    signal?.addEventListener('abort', abort, { once: true });
    reader.on('history', (entries) => history?.splice(0, history.length, ...entries));
    reader.on('line', (line) => {
      lines.push(line);
      clearTimeout(paste);
      // A last line without its end is still being typed.
      paste = setTimeout(() => reader.line === '' && settle({ type: 'text', text: lines.join('\n') }), PASTE_MS);
    });
    reader.on('SIGINT', () => settle({ type: 'interrupt', isEmpty: reader.line === '' && lines.length === 0 }));
    reader.on('close', ended);
    reader.prompt();
  });
}

async function drain({ stdin }: Terminal): Promise<boolean> {
  const input = stdin as typeof stdin & { setRawMode?: (raw: boolean) => void };
  let interrupted = false;
  const drop = (chunk: Buffer | string) => {
    interrupted ||= chunk.toString().includes(CTRL_C);
  };
  input.setRawMode?.(true);
  input.on('data', drop);
  input.resume();
  await sleep(DRAIN_MS);
  input.off('data', drop);
  input.pause();
  input.setRawMode?.(false);
  return interrupted;
}
