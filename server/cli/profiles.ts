// svcctl's profiles: named servers in $XDG_CONFIG_HOME/svcctl/config.yaml. A profile names the variable that holds a token, never the token.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { CliError } from './exit-codes.ts';

const profileSchema = z.strictObject({
  server: z.url({ protocol: /^https?$/ }).optional(),
  namespace: z.string().optional(),
  /** Name of the environment variable that holds the token. */
  tokenEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional(),
});
const fileSchema = z.strictObject({
  current: z.string().optional(),
  profiles: z.record(z.string(), profileSchema).default({}),
});

export type Profile = z.infer<typeof profileSchema>;
export type ProfilesFile = z.infer<typeof fileSchema>;

type Env = Readonly<Record<string, string | undefined>>;

export function profilesPath(env: Env): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(base, 'svcctl', 'config.yaml');
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
  try {
    return fileSchema.parse(parse(text) ?? {});
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')
        : (error as Error).message;
    throw new CliError(`${path} is not a valid profiles file: ${reason}`, { hint: 'correct or remove the file', cause: error });
  }
}

/** Replaces the file as a whole, readable by its owner only. */
export async function writeProfiles(env: Env, file: ProfilesFile): Promise<void> {
  const path = profilesPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, stringify(file), { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

/** A profile checked before it is stored; throws a usage problem as CliError. */
export function checkedProfile(profile: Profile): Profile {
  const result = profileSchema.safeParse(profile);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new CliError(`the profile's ${String(issue?.path[0])} is not valid: ${issue?.message}`, { exitCode: 2 });
}
