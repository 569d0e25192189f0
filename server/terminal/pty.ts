// Adapter of node-pty, an optional native addon: loads it on demand and starts shells on pseudoterminals.
import { ServiceError } from '@svc/shared/errors';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** A running shell on a pseudoterminal. Methods do nothing once it has exited. */
export interface Pty {
  readonly pid: number;
  write(text: string): void;
  resize(size: TerminalSize): void;
  /** Stops reading: the kernel's buffer fills, and the program that writes waits. */
  pause(): void;
  resume(): void;
  kill(signal: 'SIGHUP' | 'SIGKILL'): void;
}

export interface PtyRequest {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
  readonly onData: (bytes: Buffer) => void;
  /** Called once, after the last output. */
  readonly onExit: (code: number) => void;
}

/** Throws `unavailable` when the shell does not start. */
export type SpawnPty = (request: PtyRequest) => Pty;

/** Undefined when the addon is missing or does not load on this platform. */
export async function loadPty(): Promise<SpawnPty | undefined> {
  const addon = await import('node-pty').catch(() => undefined);
  if (addon === undefined) return undefined;
  return ({ file, cwd, env, size, onData, onExit }) => {
    try {
      // Without an encoding the addon returns Buffers, whatever its types say: a character may be split between two reads.
      const terminal = addon.spawn(file, [], { name: 'xterm-256color', cwd, env: { ...env }, ...size, encoding: null });
      let running = true;
      const whileRunning = (action: () => void) => {
        if (running) action();
      };
      terminal.onData((data: unknown) => onData(data as Buffer));
      terminal.onExit(({ exitCode }) => {
        running = false;
        onExit(exitCode);
      });
      return {
        pid: terminal.pid,
        write: (text) => whileRunning(() => terminal.write(text)),
        resize: ({ cols, rows }) => whileRunning(() => terminal.resize(cols, rows)),
        pause: () => whileRunning(() => terminal.pause()),
        resume: () => whileRunning(() => terminal.resume()),
        kill: (signal) => whileRunning(() => killGroup(terminal.pid, signal)),
      };
    } catch (error) {
      throw new ServiceError('unavailable', `The shell ${file} did not start`, { cause: error });
    }
  };
}

/** The shell leads a process group, and the kernel hangs up the job in the foreground once the shell is gone. */
function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has exited since.
  }
}
