// Connections in the table of the kernel, where one that a program has closed stays as long as its bytes wait to be taken.
import { readFileSync } from 'node:fs';

/** Whether this machine has such a table: Linux only. */
export const SHOWS_CONNECTIONS = process.platform === 'linux';

/** Whether the kernel holds the side of a loopback connection that has the port `own`. Always false where there is no table. */
export function kernelHolds({ own, other }: { readonly own: number; readonly other: number | undefined }): boolean {
  if (!SHOWS_CONNECTIONS) return false;
  const hex = (port: number | undefined) => Number(port).toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${hex(own)} 0100007F:${hex(other)} `);
}
