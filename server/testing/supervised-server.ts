// A svcd under supervision, forked from the build output as the desktop app forks it, with the messages of both sides.
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_WORK_LIMITS, parseFromServer, type Bootstrap, type FromServer, type ToServer } from '@svc/shared/control';

const svcd = join(import.meta.dirname, '..', 'dist', 'bin', 'svcd.js');

type Of<Type extends FromServer['type']> = Extract<FromServer, { type: Type }>;

export interface SupervisedServer {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly launchSecret: string;
  /** All messages so far, parsed. */
  readonly received: readonly FromServer[];
  readonly output: () => string;
  send(message: ToServer): void;
  sendRaw(message: unknown): void;
  /** The first message of this type that `test` accepts, from those already received on. Rejects when the process ends before. */
  message<Type extends FromServer['type']>(type: Type, test?: (message: Of<Type>) => boolean): Promise<Of<Type>>;
  /** Exit code, or the signal. */
  readonly ended: Promise<number | string | null>;
}

export const newLaunchSecret = (): string => randomBytes(32).toString('base64url');

export function bootstrapOf(dataDir: string, changes: Partial<Bootstrap> = {}): Bootstrap {
  return {
    type: 'bootstrap',
    protocol: 1,
    dataDir,
    logDir: join(dataDir, 'logs'),
    preferredPort: 0,
    kek: 'ab'.repeat(32),
    launchSecret: newLaunchSecret(),
    locale: 'en-GB',
    logLevel: 'info',
    profiles: [],
    safeMode: false,
    environmentKeys: [],
    limits: NO_WORK_LIMITS,
    ...changes,
  };
}

export interface SupervisedOptions {
  readonly dataDir?: string;
  readonly bootstrap?: Partial<Bootstrap>;
  readonly env?: Readonly<Record<string, string>>;
  /** Send no bootstrap. */
  readonly silent?: boolean;
}

export function startSupervised(options: SupervisedOptions = {}): SupervisedServer {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svcd-supervised-'));
  const child = fork(svcd, ['--supervised'], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...options.env },
  });
  const received: FromServer[] = [];
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.on('message', (raw) => {
    const parsed = parseFromServer(raw);
    if (!parsed.ok) throw new Error(`svcd sent a message of an unknown form: ${parsed.problem}`);
    received.push(parsed.message);
    notify();
  });
  let ended = false;
  const end = once(child, 'exit').then(([code, signal]) => {
    ended = true;
    notify();
    return (code ?? signal) as number | string | null;
  });
  const bootstrap = bootstrapOf(dataDir, options.bootstrap);
  if (!options.silent) child.send(bootstrap);
  return {
    child,
    dataDir,
    launchSecret: bootstrap.launchSecret,
    received,
    output: () => output,
    send: (message) => void child.send(message),
    sendRaw: (message) => void child.send(message as object),
    message(type, test = () => true) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = received.find((each): each is Of<typeof type> => each.type === type && test(each as Of<typeof type>));
          if (found === undefined && !ended) return;
          listeners.delete(look);
          if (found) resolve(found);
          else reject(new Error(`svcd ended without a message ${type}: ${output}`));
        };
        listeners.add(look);
        look();
      });
    },
    ended: end,
  };
}

/** Cookie header of a minted sign-in. */
export async function mintCookie(server: SupervisedServer): Promise<string> {
  const nonce = randomBytes(16).toString('base64url');
  server.send({ type: 'mint-ui-session', nonce });
  const { cookie } = await server.message('ui-session', (message) => message.nonce === nonce);
  return `${cookie.name}=${cookie.value}`;
}
