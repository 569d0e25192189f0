// Program of a stdio server as a process of this machine, in a group of its own, with exactly the variables it was given. No shell.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endsWithin, systemClock } from '../clock.ts';
import type { ProgramEvents, RunningProgram } from '../tools/isolation/isolation.ts';
import { signalTree } from '../tools/isolation/process/process-tree.ts';
import { programOf, spawnGroup, startError } from '../tools/isolation/process/run-process.ts';

/** How long output may still come when the program has ended. */
const DRAIN_MS = 1_000;

export interface LocalProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** PATH of this process, where programs are looked up. */
  readonly searchPath: string;
  /** Names the server in errors. */
  readonly what: string;
}

/** Rejects with CallError. */
export async function startLocal({ command, env, searchPath, what }: LocalProgram, events: ProgramEvents): Promise<RunningProgram> {
  const child = spawnGroup(programOf({ command, what }, searchPath), { command, env, what });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<string>((resolve) => child.once('exit', (code, signal) => resolve(howEnded(code, signal, env))));
  child.stdout.on('data', events.stdout);
  child.stderr.on('data', events.stderr);
  child.stdin.on('error', () => undefined);
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw startError(error, { command, what });
  }
  return {
    input: child.stdin,
    ended,
    terminate: () => signal(child, 'SIGTERM'),
    async kill() {
      signal(child, 'SIGKILL');
      // Its last words are still in the pipes, which a child that has left the group may hold open.
      await endsWithin(closed, { clock: systemClock, ms: DRAIN_MS });
      child.stdout.destroy();
      child.stderr.destroy();
      await closed;
    },
  };
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) signalTree(pid, name);
}

/** Exit code of shells and launchers that did not find a program. */
const NOT_FOUND = 127;

function howEnded(...[code, name, env]: [number | null, string | null, LocalProgram['env']]): string {
  if (name !== null) return `by ${name}`;
  const remedy = code === NOT_FOUND && env['PATH'] === undefined ? '; it finds no other programs until spec.env sets PATH' : '';
  return `with exit code ${code ?? 0}${remedy}`;
}
