// Where a command talks to and as whom: flags, then environment, then the profile, then defaults.
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import { trimEnd } from '@svc/shared/trim-end';
import { usageError } from './exit-codes.ts';
import type { Profile, ProfilesFile } from './profiles.ts';

export const DEFAULT_SERVER = 'http://127.0.0.1:8080';

/** Options every command takes. */
export interface GlobalOptions {
  readonly server?: string | undefined;
  readonly namespace?: string | undefined;
  readonly allNamespaces?: boolean | undefined;
  readonly token?: string | undefined;
  readonly profile?: string | undefined;
  readonly output?: string | undefined;
  readonly color: boolean;
  /** False with --no-headers, which the commands that print tables take. */
  readonly headers?: boolean | undefined;
}

export interface ApiToken {
  readonly value: string;
  /** Its flag or variable, as hints name it. */
  readonly from: string;
}

export interface Settings {
  readonly server: string;
  readonly namespace: string;
  readonly token: ApiToken | undefined;
}

type ActiveProfile = Partial<Profile> & { readonly name: string };

type Env = Readonly<Record<string, string | undefined>>;

function checkedServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`the server address "${text}" is not an http or https URL`, `write it like ${DEFAULT_SERVER}`);
  }
  if (url.username || url.password) throw usageError('the server address must not hold credentials', 'use --token or a profile instead');
  return `${url.origin}${trimEnd(url.pathname, '/')}`;
}

/** Name of the active profile: `--profile`, SVCCTL_PROFILE, or the current one of the file. */
export function activeProfile(options: Pick<GlobalOptions, 'profile'>, env: Env, file: ProfilesFile): string | undefined {
  const name = options.profile ?? (env['SVCCTL_PROFILE'] || file.current);
  if (name !== undefined && !Object.hasOwn(file.profiles, name))
    throw usageError(`there is no profile "${name}"`, (svcctl) => `list them with "${svcctl} config list"`);
  return name;
}

/**
 * The token of a profile is sent to the server of the profile only, unless the command line names the profile;
 * the general variables are the fallback.
 */
function findToken(options: GlobalOptions, env: Env, profile: ActiveProfile | undefined): ApiToken | undefined {
  if (options.token) return { value: options.token, from: '--token' };
  const otherServer = options.server !== undefined || Boolean(env['SVCCTL_SERVER']);
  if (profile?.tokenEnv && (!otherServer || options.profile !== undefined)) {
    const value = env[profile.tokenEnv];
    if (value) return { value, from: `${profile.tokenEnv} (profile ${profile.name})` };
    throw usageError(
      `the profile takes its token from ${profile.tokenEnv}, which is not set`,
      `export ${profile.tokenEnv}=… and try again`,
    );
  }
  const from = ['SVCCTL_API_TOKEN', 'SVC_API_TOKEN'].find((variable) => env[variable]);
  return from === undefined ? undefined : { value: env[from] ?? '', from };
}

/** Checks that a header can carry the token; any other value was copied wrongly and is not repeated. */
function checkedToken(token: ApiToken | undefined): ApiToken | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token.value)) return token;
  throw usageError('the API token has white space or characters that a token cannot have', 'check the variable or file it was copied from');
}

export function resolveSettings(options: GlobalOptions, env: Env, file: ProfilesFile): Settings {
  const name = activeProfile(options, env, file);
  const profile = name === undefined ? undefined : { name, ...file.profiles[name] };
  return {
    server: checkedServer(options.server ?? (env['SVCCTL_SERVER'] || profile?.server || DEFAULT_SERVER)),
    namespace: options.namespace ?? (env['SVCCTL_NAMESPACE'] || profile?.namespace || DEFAULT_NAMESPACE),
    token: checkedToken(findToken(options, env, profile)),
  };
}
