// Detects whether the process that made something has ended, for processes of the same machine. Without certainty it counts as running.
import { readFileSync, readlinkSync } from 'node:fs';

/** This boot of this machine, the process namespace and the moment the process began: no two processes share it, and a number that is used again does not match. */
export function identityOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    // The second field is the program's name in brackets and may hold spaces and brackets itself.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? [];
    const [state, begun] = [fields[0], fields[19]];
    if (begun === undefined || state === 'Z' || state === 'X') return undefined;
    return [boot, namespace, pid, begun].join('/');
  } catch {
    return undefined;
  }
}

/** Whether the process with this identity has provably ended. False for those of other machines, containers and systems without /proc. */
export function isGone(identity: string): boolean {
  const own = identityOf(process.pid);
  const [boot, namespace, pid] = identity.split('/');
  if (own === undefined || !pid || !own.startsWith(`${boot}/${namespace}/`)) return false;
  return identityOf(Number(pid)) !== identity;
}
