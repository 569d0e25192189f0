// The svcctl program of this installation, in a directory of its own that goes before all others on a shell's PATH.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CommandDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

const NO_NODE = 'svcctl needs Node.js 20.19 or newer: install it, and open a new terminal';

function unixCommand(node: string | undefined, program: string): string {
  const run = `exec ${quoted(node ?? 'node')} ${quoted(program)} "$@"`;
  const check = node === undefined ? `command -v node >/dev/null || { echo ${quoted(NO_NODE)} >&2; exit 127; }\n` : '';
  return `#!/bin/sh\n${check}${run}\n`;
}

function windowsCommand(node: string | undefined, program: string): string {
  const check = node === undefined ? `@where node >nul 2>nul || (echo ${NO_NODE} 1>&2 & exit /b 127)\r\n` : '';
  return `${check}@"${node ?? 'node'}" "${program}" %*\r\n`;
}

/** `program` is svcctl's entry, `node` runs it; undefined: the one on the PATH of the shell. */
export async function createCommandDirectory(parts: {
  readonly node: string | undefined;
  readonly program: string;
}): Promise<CommandDirectory> {
  const { node, program } = parts;
  const path = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
  const windows = process.platform === 'win32';
  const file = join(path, windows ? 'svcctl.cmd' : 'svcctl');
  await writeFile(file, windows ? windowsCommand(node, program) : unixCommand(node, program));
  await chmod(file, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
