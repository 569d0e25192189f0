// `svcctl init`: a copy of a blueprint to start from.
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import { blueprintsDirectory } from '../../installation.ts';
import type { Invocation } from '../program/invocation.ts';
import { nearestWord } from '@svc/shared/nearest-word';

export const setupInit: CommandSetup = (command, run) => {
  command
    .argument('[blueprint]', 'name of the blueprint; without it, the blueprints are listed')
    .argument('[directory]', 'directory to write to (default: named like the blueprint)')
    .option('--force', 'overwrite existing files')
    .action((blueprint, directory, options) =>
      run((invocation) =>
        blueprint === undefined ? list(invocation) : copy(invocation, blueprint, { directory, force: options.force === true }),
      ),
    );
};

export async function blueprintNames(): Promise<string[]> {
  const entries = await readdir(blueprintsDirectory(), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function filesOf(blueprint: string): Promise<string[]> {
  const files = await readdir(join(blueprintsDirectory(), blueprint));
  return files.filter((file) => file.endsWith('.yaml')).sort();
}

/** The first comment line of the first file says what the blueprint is. */
async function summaryOf(blueprint: string): Promise<string> {
  const [first] = await filesOf(blueprint);
  if (first === undefined) return '';
  const text = await readFile(join(blueprintsDirectory(), blueprint, first), 'utf8');
  return /^#\s*(.+)$/m.exec(text)?.[1] ?? '';
}

/** Command line of a server with options, where the comments of the blueprint begin with one. */
async function serverNeeded(blueprint: string): Promise<string | undefined> {
  const [first = ''] = await filesOf(blueprint);
  return /^#\s+(npx svcd --.+)$/m.exec(await readFile(join(blueprintsDirectory(), blueprint, first), 'utf8'))?.[1];
}

async function list(invocation: Invocation): Promise<void> {
  const names = await blueprintNames();
  const format = invocation.format(['table', 'wide', 'name']);
  if (format === 'name') return invocation.out(...names);
  const rows = await Promise.all(names.map(async (name) => [name, await summaryOf(name)]));
  invocation.table(['BLUEPRINT', 'WHAT IT SHOWS'], rows, { wide: format === 'wide', drop: [] });
  invocation.note('', `Copy one with "${invocation.terminal.program} init BLUEPRINT [DIRECTORY]".`);
}

function writeError(directory: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'there is a file of that name' : code === 'EACCES' ? 'permission denied' : message;
  return new CliError(`cannot write to ${directory}: ${why}`, { hint: 'choose another directory', cause: error });
}

async function copy(invocation: Invocation, blueprint: string, options: { directory: string | undefined; force: boolean }): Promise<void> {
  invocation.format(['table']);
  const names = await blueprintNames();
  if (!names.includes(blueprint)) {
    const near = nearestWord(blueprint, names);
    throw usageError(`there is no blueprint "${blueprint}"`, near ? `did you mean "${near}"?` : `there are ${names.join(', ')}`);
  }
  const { cwd } = invocation.terminal;
  const target = resolve(cwd, options.directory ?? blueprint);
  const files = await filesOf(blueprint);
  const existing = files.map((file) => join(target, file)).filter((path) => existsSync(path));
  if (existing.length > 0 && !options.force) {
    throw new CliError(`${existing.map((path) => relative(cwd, path)).join(', ')} would be overwritten`, {
      hint: 'choose another directory, or add --force',
    });
  }
  const shown = relative(cwd, target) || '.';
  try {
    await mkdir(target, { recursive: true });
    for (const file of files) await copyFile(join(blueprintsDirectory(), blueprint, file), join(target, file));
  } catch (error) {
    throw writeError(shown, error);
  }
  invocation.out(...files.map((file) => `${join(shown, file)} created`));
  const start = await serverNeeded(blueprint);
  if (start) invocation.note('', `It needs a server at http://127.0.0.1:8080 that was started with "${start}".`);
  invocation.note('', `Apply and run it with "${invocation.terminal.program} apply --run -f ${shown}".`);
}
