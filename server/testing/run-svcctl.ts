// svcctl in this process with a terminal of the test's own: what it was given, what it printed, how it ended.
import { PassThrough, Readable, Writable } from 'node:stream';
import { runCli } from '../cli/program/program.ts';
import type { RawTerminal } from '../cli/program/terminal.ts';

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunningCli {
  readonly done: Promise<CliResult>;
  /** Resolves once stdout and stderr together hold the text. */
  readonly prints: (text: string) => Promise<void>;
  readonly interrupt: () => void;
  /** Types at the terminal; for `tty` without `stdin`. */
  readonly type: (text: string) => void;
}

export interface CliOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input is a terminal. */
  readonly tty?: boolean;
  /** Standard output and error are terminals of this width. */
  readonly columns?: number;
}

/** Starts a command line; `world` is what all runs of a test share. */
export function startSvcctl(
  argv: readonly string[],
  world: { cwd: string; env: Record<string, string> },
  options: CliOptions = {},
): RunningCli {
  const printed = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const into = (name: 'out' | 'err') => {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        printed[name] += chunk.toString();
        for (const check of waiting) check();
        done();
      },
    });
    return options.columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns: options.columns });
  };
  const listeners = new Set<() => void>();
  const typed = new PassThrough();
  const stdin: RawTerminal['stdin'] = options.tty && options.stdin === undefined ? typed : Readable.from([options.stdin ?? '']);
  const terminal: RawTerminal = {
    stdin: options.tty ? Object.assign(stdin, { isTTY: true }) : stdin,
    stdout: into('out'),
    stderr: into('err'),
    env: { XDG_CONFIG_HOME: world.cwd, ...world.env, ...options.env },
    cwd: world.cwd,
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    done: runCli(argv, terminal).then((code) => ({ code, ...printed })),
    prints: (text) =>
      new Promise((resolve) => {
        const check = () => {
          if (!`${printed.out}${printed.err}`.includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    interrupt: () => {
      for (const listener of listeners) listener();
    },
    type: (text) => void typed.write(text),
  };
}
