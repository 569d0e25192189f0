// The svcctl program of this installation, in a directory of its own that goes before all others on a shell's PATH.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CommandDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** `program` is svcctl's entry, `node` runs it. */
export async function createCommandDirectory({ node, program }: { node: string; program: string }): Promise<CommandDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
  const windows = process.platform === 'win32';
  const file = join(path, windows ? 'svcctl.cmd' : 'svcctl');
  await writeFile(file, windows ? `@"${node}" "${program}" %*\r\n` : `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`);
  await chmod(file, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
