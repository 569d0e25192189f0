// Detects whether the process that made something has ended, for processes of the same machine. Without certainty it counts as running.
import { readFileSync, readlinkSync } from 'node:fs';

/** This boot of this machine, the process namespace and the moment the process began: no two processes share it, and a number that is used again does not match. */
export function identityOf(pid: number): string | undefined {
  const status = statusOf(pid);
  const machine = machineOf();
  return machine === undefined || status === undefined || status.hasEnded ? undefined : `${machine}/${pid}/${status.begun}`;
}

/** Whether the process with this identity has provably ended. False for those of other machines, containers and systems without /proc. */
export function isGone(identity: string): boolean {
  const [boot, namespace, pid = '', begun] = identity.split('/');
  if (pid === '' || `${boot}/${namespace}` !== machineOf()) return false;
  const status = statusOf(Number(pid));
  // /proc may hide the processes of other users (hidepid, ProtectProc of systemd).
  return status === undefined ? !exists(Number(pid)) : status.hasEnded || status.begun !== begun;
}

function machineOf(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return undefined;
  }
}

interface ProcessStatus {
  readonly begun: string;
  /** A zombie has ended too. */
  readonly hasEnded: boolean;
}

/** Undefined where /proc does not show the process. */
function statusOf(pid: number): ProcessStatus | undefined {
  try {
    // The second field is the program's name in brackets and may hold spaces and brackets itself.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? [];
    const [state, begun] = [fields[0], fields[19]];
    return begun === undefined ? undefined : { begun, hasEnded: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

/** Signal 0 reaches hidden processes too: only ESRCH proves that there is none. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
