// The name of a worker that was not given one. Pure.

/** Leaves room for the process id within the 253 characters of an object's name. */
const HOST_MAX_CHARS = 200;

/** `<host>-<pid>`, made a valid object name: characters that have no place in one become hyphens. */
export function defaultWorkerId(host: string, pid: number): string {
  const name = host
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, HOST_MAX_CHARS);
  return `${name || 'worker'}-${pid}`;
}
