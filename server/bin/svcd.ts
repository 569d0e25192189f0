// The svcd program: argv and signals in, an exit code out.
import { FATALS } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { startServer, startWorkerProcess } from '../app.ts';
import { examine } from '../compose/doctor/doctor.ts';
import { describeDatabase } from '../compose/open-store.ts';
import { migrateDatabase, publicSealingKey, resetAdmin, rotateDatabaseKeys } from '../compose/database-work.ts';
import { parseInvocation, type Config, type Invocation, type WorkerProcessConfig } from '../config.ts';
import type { MaintenanceConfig, RotationConfig } from '../config/maintenance.ts';
import { writeRuntimeFile, type RuntimeFile } from '../control/runtime-file.ts';
import { installedVersion } from '../installation.ts';
import { rotationSentence } from '../secrets/rotate-keys.ts';
import type { ResealProgress } from '../secrets/stored-secrets.ts';
import { createLogger, logConsole, type Logger } from '../log/log.ts';
import { collectWhenQuiet } from '../quiet-collection.ts';
import { StartRefused } from '../start-refused.ts';
import { holdOutput } from './held-output.ts';
import { endOnSignals, stopOnSignals, stopper } from './process-end.ts';
import { supervise } from './supervised.ts';

const EXIT_FAILED = 1;
/** Exit code for a bad flag or variable. */
const EXIT_USAGE = 2;

/** A server or a worker, as far as its beginning and its end go. */
interface Running {
  /** Fields of the first line of standard output. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
  /** Aborts when the process must stop. */
  readonly failed?: AbortSignal;
  stop(): Promise<void>;
}

interface Process {
  readonly running: Running;
  readonly graceMs: number;
  readonly log: Logger;
}

/** Signals, errors that nothing caught, and a failure that the part reports itself. */
function stopOnRequest({ running, graceMs, log }: Process): void {
  const stop = stopper({ graceMs, log, stop: () => running.stop() });
  stopOnSignals(log, stop);
  running.failed?.addEventListener('abort', () => {
    log.error({ err: running.failed?.reason as unknown }, 'stopping');
    stop(EXIT_FAILED);
  });
}

const PARENT_CHECK_MS = 500;

/** npx passes no signal on to the program it runs: ending npx would leave an orphaned process. Node reports no end of a parent, so a timer checks for it. */
function stopWithNpx(parent: number): void {
  if (process.env['npm_command'] !== 'exec') return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The desktop app finds the server by this file; the server is of use without it. */
function reportAddress(dataDir: string, origin: string, log: Logger): RuntimeFile | undefined {
  try {
    return writeRuntimeFile(dataDir, { pid: process.pid, origin, version: installedVersion() });
  } catch (error) {
    log.warn({ err: error }, 'the address of the server could not be written to its data directory');
    return undefined;
  }
}

async function serve(config: Config, log: Logger): Promise<Running> {
  const server = await startServer(config, log);
  const { url, host, port } = server;
  const facts = { url, addr: url.slice('http://'.length), host, port, ...describeDatabase(config.database), version: installedVersion() };
  const runtime = config.database.kind === 'embedded' ? reportAddress(config.database.dataDir, url, log) : undefined;
  const stop = async () => {
    runtime?.remove();
    await server.stop();
  };
  return { facts, message: `listening on ${url}`, stop };
}

async function work(config: WorkerProcessConfig, log: Logger): Promise<Running> {
  const worker = await startWorkerProcess(config, log);
  const { workerId, probes, failed } = worker;
  const facts = { workerId, ...probes, ...describeDatabase(config.database), version: installedVersion() };
  return { facts, message: `worker ${workerId} takes tasks`, failed, stop: () => worker.stop() };
}

/** Readers of the log may close it (`svcd | head`, a restarted collector); the service keeps running. */
function outliveLogReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Whether programs read the first line, and so find it in JSON and at any log level: those that chose their port, and every worker. */
const isRead = (invocation: StartInvocation): boolean => invocation.kind === 'work' || invocation.config.addr.port === 0;

type StartInvocation = Exclude<Invocation, { kind: 'exit' | 'maintain' | 'examine' | 'supervise' }>;

/** Runs to its end; prints what it has done. */
async function maintain(config: MaintenanceConfig): Promise<void> {
  const log = createLogger({ level: 'warn', format: process.stderr.isTTY ? 'pretty' : 'json', sink: process.stderr });
  try {
    if (config.name === 'rotate-secrets') return await rotate(config, log);
    if (config.name === 'migrate') return void process.stdout.write(`${await migrateDatabase(config, log)}\n`);
    if (config.name === 'reset-admin') return void process.stdout.write(`${await resetAdmin(config, log)}\n`);
    process.stdout.write(`${JSON.stringify(await publicSealingKey(config, log), null, 2)}\n`);
  } catch (error) {
    reportFailure(error, log);
  }
}

async function rotate(config: RotationConfig, log: Logger): Promise<void> {
  const onProgress = ({ seen, resealed }: ResealProgress) => process.stdout.write(`${seen} Secrets read, ${resealed} re-encrypted\n`);
  const rotation = await rotateDatabaseKeys(config, { log, onProgress });
  process.stdout.write(`${rotationSentence(rotation)}\n`);
  process.exitCode = rotation.left.length > 0 ? EXIT_FAILED : 0;
}

function reportFailure(error: unknown, log: Logger): void {
  process.stderr.write(`svcd: ${error instanceof Error ? error.message : String(error)}\n`);
  if (!(error instanceof ServiceError)) log.error({ err: error }, 'start failed');
  process.exitCode = error instanceof ServiceError && error.code === 'invalid' ? EXIT_USAGE : EXIT_FAILED;
}

async function start(invocation: StartInvocation): Promise<void> {
  // Runs before anything is written: a reader of the first line may end npx at once.
  const parent = process.ppid;
  const { config, warnings } = invocation;
  const { logLevel: level, logFormat, shutdownGraceMs: graceMs } = config;
  const format = logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json');
  const held = holdOutput(process.stdout);
  const log = createLogger({ level, format, sink: held });
  logConsole(log);
  const removeStartHandlers = endOnSignals();
  try {
    const running = invocation.kind === 'serve' ? await serve(invocation.config, log) : await work(invocation.config, log);
    // Ahead of the first line: its reader may send a signal at once.
    stopOnRequest({ running, graceMs, log });
    removeStartHandlers();
    const announcer = createLogger(isRead(invocation) ? { level: 'info', format: 'json' } : { level, format });
    announcer.info(running.facts, running.message);
    held.release();
    for (const warning of warnings) log.warn(warning);
    collectWhenQuiet();
    stopWithNpx(parent);
  } catch (error) {
    held.release();
    reportFailure(error, log);
    // A service manager must not repeat what no restart corrects.
    if (error instanceof StartRefused) process.exitCode = FATALS[error.fatal].exitCode;
  }
}

async function main(): Promise<void> {
  outliveLogReaders();
  const invocation = parseInvocation(process.argv.slice(2), process.env);
  if (invocation.kind === 'supervise') return supervise(invocation.flags);
  if (invocation.kind === 'maintain') return maintain(invocation.config);
  if (invocation.kind === 'examine') {
    const { text, exitCode } = await examine(invocation.config, invocation);
    process.stdout.write(text);
    process.exitCode = exitCode;
    return;
  }
  if (invocation.kind !== 'exit') return start(invocation);
  (invocation.code === 0 ? process.stdout : process.stderr).write(invocation.text);
  process.exitCode = invocation.code;
}

await main();
