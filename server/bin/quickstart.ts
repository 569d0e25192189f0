// The quickstart program: flags and Ctrl-C in, exit code out.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runQuickstart } from '../quickstart/quickstart.ts';

const HELP = `Usage: npm run quickstart -- [options]
       npx svc-quickstart [options]   where the npm package is installed

Starts a server on embedded storage and runs a small multi-agent pipeline on it.

  --port <port>      port of the server on 127.0.0.1 (default: a free one)
  --data-dir <dir>   where the database lives (default: .svc-data/quickstart)
  --once             end after the run instead of staying up
  -h, --help         show this help
`;

const OPTIONS = {
  port: { type: 'string', default: '0' },
  'data-dir': { type: 'string', default: join('.svc-data', 'quickstart') },
  once: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function usage(message: string): number {
  process.stderr.write(`error: ${message}\nhint: see the usage with --help\n`);
  return 2;
}

async function main(argv: string[]): Promise<number> {
  let values;
  try {
    values = parseArgs({ args: argv, options: OPTIONS }).values;
  } catch (error) {
    return usage((error as Error).message);
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) return usage(`--port ${values.port} is not a port`);
  const controller = new AbortController();
  // A reader that has seen enough (`… | head`) ends the run like Ctrl-C.
  process.stdout.on('error', () => controller.abort());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  const { once, 'data-dir': dataDir } = values;
  return runQuickstart({
    port: Number(values.port),
    dataDir,
    once,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: controller.signal,
  });
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`error: ${(error as Error).message}\nhint: --help lists the options for the port and the data directory\n`);
    process.exitCode = 1;
  },
);
