// Global set-up of a test run: fails it when a program that a test started (a database, a server, a container engine) outlives it. Linux only.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Programs inherit the environment, so they carry the mark of the run wherever they are in the process tree. */
const MARK = 'SVC_TEST_RUN';

function readOf(pid: string, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // It has ended meanwhile.
  }
}

/** The runner's own workers end after the global clean-up. */
const isRunner = (commandLine: string) => /node_modules\/(vitest|@playwright|playwright|tinypool)/.test(commandLine);

function programsOf(mark: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && pid !== `${process.pid}` && readOf(pid, 'environ').includes(`${MARK}=${mark}`))
    .map((pid) => ({ pid, commandLine: readOf(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
    .filter(({ commandLine }) => commandLine !== '' && !isRunner(commandLine))
    .map(({ pid, commandLine }) => `${pid} ${commandLine.slice(0, 200)}`);
}

export default function setup(): () => Promise<void> {
  const mark = randomUUID();
  process.env[MARK] = mark;
  return async () => {
    if (!existsSync('/proc/self/environ')) return;
    const until = performance.now() + 15_000;
    while (programsOf(mark).length > 0 && performance.now() < until) await sleep(100);
    const left = programsOf(mark);
    if (left.length === 0) return;
    // Vitest prints an error of the clean-up and still ends with 0.
    process.exitCode = 1;
    throw new Error(`Tests left ${left.length} programs running:\n${left.join('\n')}`);
  };
}
