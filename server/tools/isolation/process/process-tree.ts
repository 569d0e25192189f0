// Ends a command with everything that it started, as far as a process can: its group, and descendants that left the group while their parents lived.
import { readdirSync, readFileSync } from 'node:fs';

/** Sends the signal to the group that `leader` leads and to the descendants outside of it. Those that are gone are fine. */
export function signalTree(leader: number, signal: NodeJS.Signals): void {
  const strays = descendants(leader);
  send(-leader, signal);
  for (const pid of strays) send(pid, signal);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Gone already, which is what is wanted.
  }
}

/** Empty where there is no /proc. */
function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of processes()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (let open = children.get(root) ?? []; open.length > 0; open = open.flatMap((pid) => children.get(pid) ?? [])) found.push(...open);
  return found;
}

function processes(): [pid: number, parent: number][] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const parent = parentOf(name);
        return parent === undefined ? [] : [[Number(name), parent]];
      });
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    // Behind the program's name in brackets, which may hold anything: state, then parent.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ');
    return Number(fields?.[1]);
  } catch {
    return undefined;
  }
}
