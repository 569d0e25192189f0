// Every check of `npm run check`, two at a time, the longest first. Linting and the other programs of types read the declarations of shared and
// server, which are written first. What a check says is printed when it ends, whole. All run, and one that fails fails the whole; without
// declarations their readers do not run. The last line names those that failed.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const AT_ONCE = 2;
const DECLARATIONS = 'declarations';
const NEED_DECLARATIONS = ['lint console', 'lint server', 'lint tests', 'lint rest', 'lint shared', 'typecheck'];
const waiting = [
  DECLARATIONS,
  ...NEED_DECLARATIONS,
  ...['format:check', 'layers', 'deadcode', 'docs:check', 'supply-chain', 'commits', 'tidy'],
];
const passed = new Set();
const failed = [];
let running = 0;

/** Runs a script of package.json, with what follows its name as arguments, to its end, then others that wait. */
function check(script) {
  running += 1;
  const began = performance.now();
  const [name, ...args] = script.split(' ');
  const child = spawn('npm', ['run', '--silent', name, '--', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  child.once('error', (error) => said.push(Buffer.from(`${error.message}\n`)));
  child.once('close', (code) => {
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}: ${script} (${seconds} s)\n${Buffer.concat(said).toString()}`);
    if (code === 0) passed.add(script);
    else failed.push(script);
    running -= 1;
    fill();
    if (running === 0 && failed.length > 0) {
      process.exitCode = 1;
      console.log(`Failed: ${failed.join(', ')}`);
    }
  });
}

function fill() {
  while (running < AT_ONCE) {
    const next = waiting.findIndex((script) => passed.has(DECLARATIONS) || !NEED_DECLARATIONS.includes(script));
    if (next < 0) return;
    check(waiting.splice(next, 1)[0]);
  }
}

fill();
