// Host of the server as a utility process of Electron. It cannot be tried without Electron's binary; docs/unverified.md lists it.
import type { ServerHost } from '../supervisor.ts';
import { SUPERVISED, type HostOptions } from './fork.ts';
import { readOutputs, type Output } from './lines.ts';

/** Electron's UtilityProcess, as far as it is used. */
interface UtilityChild {
  readonly pid: number | undefined;
  readonly stdout: Output | null;
  readonly stderr: Output | null;
  postMessage(message: unknown): void;
  kill(): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
}

export type ForkUtility = (
  entry: string,
  args: string[],
  options: { readonly env: Record<string, string>; readonly serviceName: string; readonly stdio: 'pipe' },
) => UtilityChild;

/** Electron's kill() is SIGTERM, for which a server that hangs has a handler that never runs. Windows ends the process for either signal. */
function end(child: UtilityChild): void {
  try {
    if (child.pid === undefined) child.kill();
    else process.kill(child.pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

export function createUtilityHost(forkUtility: ForkUtility, { entry, env }: HostOptions): ServerHost {
  return {
    start(events) {
      const child = forkUtility(entry, SUPERVISED, { env: { ...env }, serviceName: 'svcd', stdio: 'pipe' });
      child.on('message', (message) => events.onMessage(message));
      const outputsEnded = readOutputs([child.stdout, child.stderr], (line) => events.onLine(line));
      child.once('exit', (code) => void outputsEnded().then(() => events.onExit(code)));
      return { pid: child.pid, send: (message) => child.postMessage(message), kill: () => end(child) };
    },
  };
}
