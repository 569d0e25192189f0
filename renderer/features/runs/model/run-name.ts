// Names of new runs. Pure.

/** Names a run so that names sort by time and differ. */
export function runName(system: string, now: Date): string {
  const stamp = now.toISOString().slice(2, 19).replace(/[-:T]/g, '');
  return `${system.slice(0, 200)}-${stamp}`.toLowerCase();
}

/** The same for runs that one key starts: several may begin within one second. */
export function quickRunName(system: string, now: Date): string {
  return `${runName(system, now)}-${String(now.getMilliseconds()).padStart(3, '0')}`;
}
