// Environment of the person at this machine: what the server gets of it, and the keys of model providers in it. Programs that a desktop starts lack
// the PATH of a login shell. So a shell is started to report its variables, of which an allowlist is taken.
import { spawn, type ChildProcess } from 'node:child_process';
import { providerVariablesIn } from '@svc/shared/environment-keys';
import { awaitOutputs } from './hosts/lines.ts';

const ALLOWED = [
  'PATH',
  'LANG',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
  'COLIMA_HOME',
];
/** Variables that the system itself gives every program of the user. */
const INHERITED = [
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TZ',
  'XDG_RUNTIME_DIR',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'TEMP',
  'COMSPEC',
  'PATHEXT',
];
const TIMEOUT_MS = 3_000;
const OUTPUT_MAX = 256 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

function pick(env: Env, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Separates the variables from what the files of the shell print before. */
const MARK = 'svc-desktop-environment';
/** Words that every shell has, those of csh included. */
const COMMAND = `echo ${MARK}; /usr/bin/env -0`;

/** Variables in the output of the command; they may hold line ends. */
function parseEnv(output: string): Record<string, string> {
  const start = output.lastIndexOf(`${MARK}\n`);
  if (start < 0) return {};
  const entries = output.slice(start + MARK.length + 1).split('\0');
  return Object.fromEntries(entries.flatMap((entry) => (entry.includes('=') ? [splitEntry(entry)] : [])));
}

const splitEntry = (entry: string): [string, string] => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)];

/** csh accepts the option of a login shell with no other option. */
const isCsh = (shell: string): boolean => /(^|\/)t?csh$/.test(shell);

/** Ends the shell with the processes that it waits for. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/** Variables of the user's login shell; empty when it fails or gives no answer in time. Its exit counts: a background process may keep its output open. */
async function queryShell(env: Env): Promise<Record<string, string>> {
  const shell = env['SHELL'];
  if (!shell) return {};
  const child = spawn(shell, [isCsh(shell) ? '-ic' : '-ilc', COMMAND], { stdio: ['ignore', 'pipe', 'ignore'], env, detached: true });
  const outputEnded = awaitOutputs([child.stdout]);
  let output = '';
  let timer: NodeJS.Timeout | undefined;
  const code = await new Promise<number | null>((resolve) => {
    const abandon = () => {
      killGroup(child);
      resolve(null);
    };
    timer = setTimeout(abandon, TIMEOUT_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.length > OUTPUT_MAX) abandon();
    });
    child.once('error', () => resolve(null));
    child.once('exit', (ended) => void outputEnded().then(() => resolve(ended)));
  });
  clearTimeout(timer);
  child.stdout.destroy();
  return code === 0 ? parseEnv(output) : {};
}

export interface PersonEnvironment {
  /** Variables of the server's process. */
  forServer(): Promise<Record<string, string>>;
  /** Names of variables with keys of model providers, known once `forServer` has been called. No value is kept. */
  keyNames(): readonly string[];
  /** Value of one variable, after the person agreed; null when it is no longer set. */
  readKey(variable: string): Promise<string | null>;
}

/** `fromShell` is for packaged apps on macOS and Linux: a terminal passes its own environment on. */
export function personEnvironment(env: Env, { fromShell }: { readonly fromShell: boolean }): PersonEnvironment {
  let names: readonly string[] = [];
  const shellVariables = () => (fromShell ? queryShell(env) : Promise.resolve({}));
  return {
    async forServer() {
      const shell = await shellVariables();
      names = providerVariablesIn({ ...env, ...shell });
      return { ...pick(env, [...INHERITED, ...ALLOWED]), ...pick(shell, ALLOWED), NODE_ENV: 'production' };
    },
    keyNames: () => names,
    async readKey(variable) {
      const found: Env = { ...env, ...(await shellVariables()) };
      return found[variable]?.trim() || null;
    },
  };
}
