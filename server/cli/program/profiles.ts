// svcctl's profiles: named servers in $XDG_CONFIG_HOME/svcctl/config.yaml. A profile names the variable that holds a token, never the token.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject } from '@svc/shared/json';
import { CliError, EXIT } from './exit-codes.ts';

export interface Profile {
  readonly server?: string;
  readonly namespace?: string;
  /** Name of the environment variable that holds the token. */
  readonly tokenEnv?: string;
}

export interface ProfilesFile {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const VALID: Readonly<Record<keyof Profile, { test: (value: string) => boolean; is: string }>> = {
  server: { test: (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), is: 'an http or https URL' },
  namespace: { test: (value) => /^[a-z0-9-]{1,63}$/.test(value), is: 'a namespace' },
  tokenEnv: { test: (value) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(value), is: 'the name of an environment variable' },
};

/** Why this is not a profile, or undefined when it is one. */
function profileProblem(profile: unknown): string | undefined {
  if (!isObject(profile)) return 'is not a map';
  for (const [field, value] of Object.entries(profile)) {
    const rule = Object.hasOwn(VALID, field) ? VALID[field as keyof Profile] : undefined;
    if (!rule) return `has the unknown field "${field}"`;
    if (typeof value !== 'string' || !rule.test(value)) return `has a ${field} that is not ${rule.is}`;
  }
  return undefined;
}

function fileProblem(file: unknown): string | undefined {
  if (!isObject(file)) return 'it is not a map';
  if (file['current'] !== undefined && typeof file['current'] !== 'string') return '"current" is not a name';
  if (file['profiles'] === undefined) return undefined;
  if (!isObject(file['profiles'])) return '"profiles" is not a map';
  for (const [name, profile] of Object.entries(file['profiles'])) {
    const problem = profileProblem(profile);
    if (problem) return `profile "${name}" ${problem}`;
  }
  return undefined;
}

export function profilesPath(env: Env): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(base, 'svcctl', 'config.yaml');
}

async function parseFile(path: string, text: string): Promise<ProfilesFile> {
  const { parse } = await import('yaml');
  let value: unknown;
  let problem: string | undefined;
  try {
    value = parse(text) ?? {};
    problem = fileProblem(value);
  } catch (error) {
    // The lines below the first one draw the place.
    problem = (error as Error).message.split('\n', 1)[0]?.replace(/:$/, '') ?? 'it does not parse';
  }
  if (problem) throw new CliError(`${path} is not a valid profiles file: ${problem}`, { hint: 'correct or remove the file' });
  return { profiles: {}, ...(value as Partial<ProfilesFile>) };
}

/** The profiles file, or an empty one when there is none. */
export async function readProfiles(env: Env): Promise<ProfilesFile> {
  const path = profilesPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  return parseFile(path, text);
}

/** Replaces the file as a whole, readable by its owner only. */
export async function writeProfiles(env: Env, file: ProfilesFile): Promise<void> {
  for (const [name, profile] of Object.entries(file.profiles)) {
    const problem = profileProblem(profile);
    if (problem) throw new CliError(`profile "${name}" ${problem}`, { exitCode: EXIT.usage });
  }
  const { stringify } = await import('yaml');
  const path = profilesPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, stringify(file), { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
