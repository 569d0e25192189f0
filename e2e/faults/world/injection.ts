// Faults of system calls by strace, and whether this machine permits them.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Missing } from '../scenario.ts';

const run = promisify(execFile);

/** Reason why strace cannot inject faults here; undefined when it can. */
async function permitted(): Promise<string | undefined> {
  try {
    await run('strace', ['-V']);
  } catch {
    return 'strace is not installed (apt-get install strace)';
  }
  try {
    // A shell that reads nothing because its read fails: proof that the injection works.
    await run('strace', ['-f', '-o', '/dev/null', '-e', 'trace=kill', '-e', 'inject=kill:error=EIO', 'sh', '-c', '! kill -0 $$']);
    return undefined;
  } catch {
    return 'the kernel does not permit strace to inject faults here';
  }
}

/** Missing strace is a failure where nothing may be skipped; a kernel that permits no injection is not. */
export async function injectionMissing(): Promise<Missing | undefined> {
  const reason = await permitted();
  return reason === undefined ? undefined : { reason, excused: reason.startsWith('the kernel') };
}

/** Command that runs a program so that these calls of it fail with `fault` (in strace's terms). Counts are per thread. */
export function injecting(calls: readonly string[], fault: string): string[] {
  const names = calls.join(',');
  return ['strace', '-f', '-o', '/dev/null', '-e', `trace=${names}`, '-e', `inject=${names}:${fault}`];
}

export const SYNC_CALLS = ['fsync', 'fdatasync'] as const;

const ATTACH_MAX_MS = 5_000;

export interface Injection {
  /** Detaches from the program. */
  detach(): Promise<void>;
}

/** Attaches to a running program; counts begin now. */
export async function injectInto(pid: number, calls: readonly string[], fault: string): Promise<Injection> {
  const [command = '', ...args] = injecting(calls, fault);
  const tracer = spawn(command, [...args, '-p', String(pid)], { stdio: 'ignore' });
  const ended = once(tracer, 'exit');
  const attached = () => /TracerPid:\s+[1-9]/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  const deadline = Date.now() + ATTACH_MAX_MS;
  while (!attached()) {
    if (tracer.exitCode !== null || Date.now() > deadline) throw new Error(`strace did not attach to process ${pid}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    async detach() {
      tracer.kill('SIGINT');
      await ended;
    },
  };
}
