// The server as the desktop app starts it: settings and secrets come from the parent process by message, never by argv or environment.
import { CONTROL_PROTOCOL, FATALS, parseToServer, type Bootstrap, type WorkLimits } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { startServer, type RunningServer } from '../app.ts';
import { systemClock } from '../clock.ts';
import { parseInvocation, type Config, type Environment } from '../config.ts';
import { openChannel, type Channel } from '../control/channel.ts';
import { createConversation, DESKTOP_CONTEXT } from '../control/conversation.ts';
import { fatalOf } from '../control/fatal.ts';
import { FollowedWork } from '../control/follow-work.ts';
import { trustMachine } from '../control/machine-authorities.ts';
import { PersonKeys } from '../control/person-keys.ts';
import { RemoteWork } from '../control/remote-work.ts';
import { writeRuntimeFile } from '../control/runtime-file.ts';
import { Gateway } from '../gateway/gateway.ts';
import { installedVersion } from '../installation.ts';
import { createLogger, logConsole, type Logger } from '../log/log.ts';
import { collectWhenQuiet } from '../quiet-collection.ts';
import { StartRefused } from '../start-refused.ts';
import { stopOnSignals, stopper } from './process-end.ts';

const EXIT_USAGE = 2;
const BOOTSTRAP_TIMEOUT_MS = 30_000;
/** How long work may take to reach safe points when the parent process is gone. */
const ORPHAN_GRACE_MS = 2_000;
/** Time for the last message to leave the process. */
const FLUSH_MS = 200;

/** Settings of this machine's user that configure svcd are not those of the app. */
const withoutOwnVariables = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([variable]) => !variable.toUpperCase().startsWith('SVC_')));

const limitFlags = ({ maxConcurrentTasks, containerMemoryMiB, containerCpus }: WorkLimits): string[] => [
  ...(maxConcurrentTasks === null ? [] : [`--embedded-worker-max-concurrent-tasks=${maxConcurrentTasks}`]),
  ...(containerMemoryMiB === null ? [] : [`--container-memory-max=${containerMemoryMiB}MiB`]),
  ...(containerCpus === null ? [] : [`--container-cpus-max=${containerCpus}`]),
];

function configOf(bootstrap: Bootstrap, flags: readonly string[]): Config {
  const { preferredPort, dataDir, logLevel, kek, safeMode, limits } = bootstrap;
  const own = [
    '--addr',
    `127.0.0.1:${preferredPort}`,
    '--data-dir',
    dataDir,
    '--log-level',
    logLevel,
    ...(safeMode ? ['--embedded-worker=false'] : []),
    ...limitFlags(limits),
  ];
  const env = { ...withoutOwnVariables(process.env), ...(kek !== null && { SVC_SECRET_ENCRYPTION_KEY: kek }) };
  const invocation = parseInvocation([...flags, ...own], env);
  if (invocation.kind !== 'serve')
    throw new StartRefused('BAD_CONFIG', invocation.kind === 'exit' ? invocation.text.trim() : 'These flags start no server');
  // A person at the desktop has a shell of this account anyway.
  return { ...invocation.config, enableTerminal: true, addr: { ...invocation.config.addr, orFreePort: true } };
}

/** The first message. Later ones wait until somebody listens. */
function bootstrapOf(message: unknown): Bootstrap {
  const parsed = parseToServer(message);
  if (!parsed.ok) throw new StartRefused('BAD_BOOTSTRAP', `The settings from the app have an unknown form: ${parsed.problem}`);
  if (parsed.message.type !== 'bootstrap') throw new StartRefused('BAD_BOOTSTRAP', 'The app sent something else before its settings');
  return parsed.message;
}

interface Mailbox {
  next(): Promise<unknown>;
  /** Every message from now on, those that wait included. */
  deliver(to: (message: unknown) => Promise<void>): void;
}

function createMailbox(channel: Channel): Mailbox {
  const waiting: unknown[] = [];
  let deliver: ((message: unknown) => void) | undefined;
  channel.onMessage((message) => (deliver ? deliver(message) : void waiting.push(message)));
  const flush = () => {
    for (const message of waiting.splice(0)) deliver?.(message);
  };
  return {
    next: () =>
      new Promise((resolve) => {
        deliver = (message) => {
          deliver = undefined;
          resolve(message);
        };
        const [first] = waiting.splice(0, 1);
        if (first !== undefined) deliver(first);
      }),
    deliver(to) {
      deliver = (message) => void to(message);
      flush();
    },
  };
}

async function fail(channel: Channel, error: unknown, log: Logger): Promise<void> {
  const fatal = fatalOf(error);
  log.error(error instanceof ServiceError ? { code: fatal.code } : { err: error, code: fatal.code }, fatal.message);
  channel.send(fatal);
  await new Promise((resolve) => setTimeout(resolve, FLUSH_MS));
  process.exit(FATALS[fatal.code].exitCode);
}

/** Serves until the parent process ends it or is gone. */
export async function supervise(flags: readonly string[]): Promise<void> {
  const channel = openChannel(process);
  if (channel === undefined) {
    process.stderr.write('svcd: --supervised is for the desktop app, which sends the settings to the process that it starts\n');
    process.exitCode = EXIT_USAGE;
    return;
  }
  const mailbox = createMailbox(channel);
  const first = createLogger({ level: 'info', format: 'json' });
  let onGone: () => void = () => process.exit(0);
  channel.onClose(() => onGone());
  channel.send({ type: 'hello', version: installedVersion(), protocol: CONTROL_PROTOCOL, pid: process.pid });
  const patience = setTimeout(() => {
    void fail(channel, new StartRefused('BAD_BOOTSTRAP', 'The app sent no settings'), first);
  }, BOOTSTRAP_TIMEOUT_MS);
  try {
    const bootstrap = bootstrapOf(await mailbox.next());
    clearTimeout(patience);
    const log = createLogger({ level: bootstrap.logLevel, format: 'json' });
    logConsole(log);
    const config = configOf(bootstrap, flags);
    for (const problem of trustMachine(process.env)) log.warn({ problem }, 'not all authorities of this machine are trusted');
    const supervision = {
      launchSecret: bootstrap.launchSecret,
      safeMode: bootstrap.safeMode,
      environmentKeys: new PersonKeys(bootstrap.environmentKeys, (message) => channel.send(message)),
      gateway: new Gateway({ version: installedVersion(), profiles: bootstrap.profiles }),
      onMigrating: (step: Readonly<Record<'from' | 'to' | 'step' | 'total', number>>) => channel.send({ type: 'migrating', ...step }),
    };
    const server = await startServer(config, log, { supervision });
    onGone = converse({ channel, mailbox, bootstrap, server, config, log, supervision });
    collectWhenQuiet();
  } catch (error) {
    clearTimeout(patience);
    await fail(channel, error, first);
  }
}

interface StartParts {
  readonly channel: Channel;
  readonly mailbox: Mailbox;
  readonly bootstrap: Bootstrap;
  readonly server: RunningServer;
  readonly config: Config;
  readonly log: Logger;
  readonly supervision: { readonly gateway: Gateway; readonly environmentKeys: PersonKeys };
}

/** Connects the server with its parent process. Returns the function that ends this when the parent is gone. */
function converse({ channel, mailbox, bootstrap, server, config, log, supervision }: StartParts): () => void {
  const { desktop, url } = server;
  const send = (message: Parameters<Channel['send']>[0]) => channel.send(message);
  const runtime = writeRuntimeFile(bootstrap.dataDir, { pid: process.pid, origin: url, version: installedVersion() });
  const reportError = (error: unknown) => log.error({ err: error }, 'following approvals failed');
  const work = new FollowedWork({ ...desktop, clock: systemClock, context: DESKTOP_CONTEXT, send, reportError });
  const remote = new RemoteWork({
    gateway: supervision.gateway,
    clock: systemClock,
    context: DESKTOP_CONTEXT,
    send,
    onProblem: (profile, message) => log.info({ profile, problem: message }, 'approvals of another server are not followed'),
  });
  const stop = stopper({
    graceMs: config.shutdownGraceMs,
    log,
    async stop(graceMs) {
      runtime.remove();
      await Promise.all([work.stop(), remote.stop()]);
      await server.stop(graceMs);
    },
  });
  stopOnSignals(log, stop);
  send({ type: 'ready', origin: url });
  if (bootstrap.kek === null) send({ type: 'seal-kek-request' });
  work.start();
  remote.update();
  mailbox.deliver(
    createConversation({
      services: { ...desktop, ...supervision, remote },
      launch: { secret: bootstrap.launchSecret, port: () => server.port },
      send,
      log,
      onShutdown: (graceMs) => stop(0, graceMs),
    }),
  );
  return () => {
    log.info('the app has exited; stopping');
    stop(0, ORPHAN_GRACE_MS);
  };
}
