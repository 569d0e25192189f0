// Text for the origin of an output that replaced an agent's turn. Pure.

/** "pinned", or "reused from run report-1". `pinned` is that of a trace entry. */
export function standInLabel(pinned: string): string {
  return pinned === 'spec' ? 'pinned' : `reused from run ${taskOfPin(pinned)}`;
}

/** Name of the earlier run; its namespace is that of the trial. */
export function taskOfPin(pinned: string): string {
  return pinned.slice(pinned.indexOf('/') + 1);
}
