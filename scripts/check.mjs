// Every check of `npm run check`: types first, since linting reads the declarations that are written there, and then the others in two rows.
// Linting is two of them: the types of the console and of the rest need some 4 GB of memory each. What a check says is printed when it ends,
// whole; all run to their end, and one that fails fails the whole.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ROWS = [['lint:rest'], ['lint:console', 'format:check', 'layers', 'deadcode', 'docs:check', 'supply-chain', 'commits', 'tidy']];

/** Resolves with whether the script passed. */
function check(script) {
  const began = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => said.push(Buffer.from(`${error.message}\n`)));
    child.once('close', (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}: ${script} (${seconds} s)\n${Buffer.concat(said).toString()}`);
      resolve(code === 0);
    });
  });
}

async function row(scripts) {
  let passed = true;
  for (const script of scripts) passed = (await check(script)) && passed;
  return passed;
}

const results = [await check('typecheck'), ...(await Promise.all(ROWS.map(row)))];
process.exitCode = results.every(Boolean) ? 0 : 1;
