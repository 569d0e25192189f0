// Host of the server as a child process of Node, for tests and for `npm run desktop:dev`.
import { fork } from 'node:child_process';
import type { ServerHost } from '../supervisor.ts';
import { readOutputs } from './lines.ts';

export interface HostOptions {
  /** The program `svcd`. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
}

export const SUPERVISED = ['--supervised'];

export function createForkHost({ entry, env }: HostOptions): ServerHost {
  return {
    start(events) {
      const child = fork(entry, SUPERVISED, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      child.on('message', (message) => events.onMessage(message));
      const outputsEnded = readOutputs([child.stdout, child.stderr], (line) => events.onLine(line));
      let ended = false;
      const end = (code: number | null) => {
        if (!ended) events.onExit(code);
        ended = true;
      };
      child.once('exit', (code) => void outputsEnded().then(() => end(code)));
      child.once('error', (error) => {
        events.onLine(`the server could not be started: ${error.message}`);
        end(null);
      });
      return {
        pid: child.pid,
        send: (message) => void (child.connected && child.send(message, () => undefined)),
        kill: () => void child.kill('SIGKILL'),
      };
    },
  };
}
