// Names of new runs. Pure.

/** Names a run so that names sort by time and differ: several may begin within one second. */
export function runName(system: string, now: Date): string {
  const [seconds = '', milliseconds = ''] = now.toISOString().slice(2, -1).replace(/[-:T]/g, '').split('.');
  return `${system.slice(0, 200)}-${seconds}-${milliseconds}`.toLowerCase();
}
