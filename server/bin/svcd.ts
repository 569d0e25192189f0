// The svcd program: argv and signals in, an exit code out.
import { ServiceError } from '@svc/shared/errors';
import { startServer, type RunningServer } from '../app.ts';
import { parseInvocation, type Config } from '../config.ts';
import { installedVersion } from '../installation.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';

const EXIT_FAILED = 1;
/** A flag or variable has a bad value. Source: DECISIONS section 1 "Config". */
const EXIT_USAGE = 2;

/** SIGTERM and SIGINT stop the server; one that hangs past the grace, or a second signal, ends the process at once. */
function stopOnSignal(server: RunningServer, config: Config, log: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ graceMs: config.shutdownGraceMs }, 'shutdown took longer than its grace; ending');
      process.exit(EXIT_FAILED);
    }, config.shutdownGraceMs).unref();
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(EXIT_FAILED);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

const PARENT_CHECK_MS = 500;

/** npx passes no signal on to the program it runs: ending npx would leave a server nobody knows of. Nothing tells of a parent's end, so it is looked at. */
function stopWithNpx(): void {
  if (process.env['npm_command'] !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** With port 0 the address is known only now, so it is the first line of standard output, as JSON, whatever the log settings are. */
function announce(server: RunningServer, config: Config, log: Logger): void {
  const { url, host, port } = server;
  const always = config.addr.port === 0 ? createLogger({ level: 'info', format: 'json' }) : log;
  always.info({ url, addr: `${host}:${port}`, host, port, dataDir: config.dataDir, version: installedVersion() }, `listening on ${url}`);
}

/** Whoever reads the log may go away (`svcd | head`, a restarted collector); the service goes on without it. */
function outliveLogReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function main(): Promise<void> {
  outliveLogReaders();
  const invocation = parseInvocation(process.argv.slice(2), process.env);
  if (invocation.kind === 'exit') {
    (invocation.code === 0 ? process.stdout : process.stderr).write(invocation.text);
    process.exitCode = invocation.code;
    return;
  }
  const { config, warnings } = invocation;
  const log = createLogger({ level: config.logLevel, format: config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json') });
  try {
    const server = await startServer(config, log);
    announce(server, config, log);
    for (const warning of warnings) log.warn(warning);
    stopOnSignal(server, config, log);
    stopWithNpx();
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    process.stderr.write(`svcd: ${sentence}\n`);
    if (!(error instanceof ServiceError)) log.error({ err: error }, 'start failed');
    process.exitCode = error instanceof ServiceError && error.code === 'invalid' ? EXIT_USAGE : EXIT_FAILED;
  }
}

await main();
