// The svcctl program: the process's streams and signals in, an exit code out.
import { writeSync } from 'node:fs';
import { runCli } from '../cli/program/program.ts';
import type { RawTerminal } from '../cli/program/terminal.ts';

const terminal: RawTerminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  onInterrupt: (listener) => {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
};

// A reader that has seen enough (`svcctl get tasks | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  writeSync(process.stderr.fd, `error: the output could not be written whole: ${error.message}\n`);
  process.exit(1);
});

// Results go to stdout: an unwritable stderr must not end the command before they are printed.
process.stderr.on('error', () => undefined);

process.exitCode = await runCli(process.argv.slice(2), terminal);
