// Page of the window while no server answers: progress, or the problem with what to do. It loads nothing; its script runs by a nonce.
import { randomBytes } from 'node:crypto';
import type { ShellPage } from './platform-port.ts';
import { isBootUrl } from './security.ts';

const STYLE = `
:root { color-scheme: light dark; --bg: #f7f8fa; --card: #fff; --fg: #16181d; --dim: #5b6270; --line: #d9dde4; --accent: #2f5bd8; --on: #fff; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --bg: #14161a; --card: #1c1f25; --fg: #e9ebf0; --dim: #a2a9b6; --line: #343a45; --accent: #7d9dff; --on: #10131a; --bad: #ff9d94 } }
* { box-sizing: border-box } body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif }
main { width: min(640px, calc(100vw - 48px)); background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 32px }
h1 { margin: 0 0 8px; font-size: 20px } p { margin: 0 0 12px } .dim { color: var(--dim) } .bad { color: var(--bad) }
progress { width: 100%; height: 6px; accent-color: var(--accent) }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 20px }
button { font: inherit; padding: 7px 14px; border-radius: 8px; border: 1px solid var(--line); background: transparent; color: var(--fg); cursor: pointer }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on) } button:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
details { margin-top: 20px } pre { max-height: 260px; overflow: auto; margin: 8px 0 0; padding: 12px; border: 1px solid var(--line); border-radius: 8px; font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
[hidden] { display: none !important }`;

const SCRIPT = `
'use strict';
const api = window.svcDesktop;
const byId = (id) => document.getElementById(id);
const show = (id, on) => { byId(id).hidden = !on; };
const titles = { idle: 'Starting', starting: 'Starting the server', migrating: 'Upgrading your data', ready: 'Opening the console', draining: 'Stopping the server', stopped: 'The server has stopped', backoff: 'Restarting the server', failed: 'The server did not start', copying: 'Copying your data', restoring: 'Restoring a copy of your data', resetting: 'Resetting your data' };
const work = 'The server starts again afterwards. Do not turn the computer off.';
const texts = { idle: '', starting: 'This takes a second or two.', migrating: 'A copy was made first. Do not turn the computer off.', ready: '', draining: 'Active runs are given back at their next safe point.', stopped: '', backoff: '', failed: '', copying: work, restoring: work, resetting: work };
let state;
let update = null;
let slow;
function render(next) {
  state = next;
  clearTimeout(slow);
  const { phase, problem, migration, attachable, attempt, log } = next;
  const down = phase === 'failed' || phase === 'stopped';
  byId('title').textContent = titles[phase];
  byId('text').textContent = phase === 'backoff' ? 'It ended unexpectedly. Attempt ' + (attempt + 1) + ' begins in a moment.' : texts[phase];
  show('text', byId('text').textContent !== '');
  show('problem', problem !== null);
  byId('message').textContent = problem ? problem.message[0].toUpperCase() + problem.message.slice(1) + '.' : '';
  byId('hint').textContent = problem ? problem.hint : '';
  show('progress', !down);
  const bar = byId('progress');
  if (migration && phase === 'migrating') { bar.max = migration.total + 1; bar.value = migration.step + 1; } else bar.removeAttribute('value');
  show('restart', down);
  show('safe', down && (!problem || problem.code === 'CRASHED' || problem.code === 'SILENT' || problem.code === 'START_FAILED'));
  show('attach', attachable !== null);
  show('plaintext', down && problem !== null && problem.code === 'NO_KEYCHAIN');
  show('logs', down || phase === 'backoff');
  show('copy', down);
  const offered = down && update !== null && ['available', 'ready', 'blocked', 'failed'].includes(update.phase) && update.version !== null;
  show('update', offered);
  if (offered) byId('update').textContent = 'Install version ' + update.version;
  byId('note').textContent = offered && update.message ? update.message : '';
  show('details', log.length > 0 && (down || phase === 'backoff'));
  byId('lines').textContent = log.join('\\n');
  if (phase === 'starting' || phase === 'idle') slow = setTimeout(takesLong, 10000);
  if (phase === 'ready') slow = setTimeout(doesNotOpen, 3000);
}
function takesLong() {
  byId('text').textContent = 'This takes longer than usual. Check whether the disk or mount of the data directory answers.';
  show('logs', true);
}
function doesNotOpen() {
  byId('title').textContent = 'The console does not open';
  byId('text').textContent = 'The server runs. Restart it, or read the logs.';
  for (const id of ['text', 'restart', 'logs', 'copy']) show(id, true);
  show('progress', false);
}
const on = (id, action) => byId(id).addEventListener('click', async () => {
  byId('note').textContent = '';
  try { await action(); } catch (error) { byId('note').textContent = error.message; }
});
on('restart', () => api.restartBackend('normal'));
on('safe', () => api.restartBackend('safe'));
on('attach', () => api.restartBackend('attach'));
on('plaintext', () => api.restartBackend('plaintext'));
on('logs', () => api.openLogs());
on('copy', async () => {
  const info = await api.getInfo();
  await navigator.clipboard.writeText(JSON.stringify({ ...info, phase: state.phase, problem: state.problem, attempt: state.attempt }, null, 2) + '\\n\\n' + state.log.join('\\n'));
  byId('note').textContent = 'Copied';
});
on('update', () => api.updates.install());
const renderUpdate = (next) => { update = next; if (state) render(state); };
api.onUpdate(renderUpdate);
api.updates.get().then(renderUpdate);
api.onBackend(render);
api.getBackend().then(render);`;

const body = (nonce: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Svc Desktop</title><style nonce="${nonce}">${STYLE}</style></head>
<body><main>
<h1 id="title" aria-live="polite">Starting</h1>
<p id="text" class="dim"></p>
<div id="problem" role="alert" hidden><p id="message" class="bad"></p><p id="hint"></p></div>
<progress id="progress" aria-label="Progress"></progress>
<div class="row">
<button id="attach" class="primary" hidden>Use the running server</button>
<button id="restart" class="primary" hidden>Restart</button>
<button id="safe" hidden title="Without a worker and without schedules">Safe mode</button>
<button id="plaintext" hidden title="The key is readable by programs of your user">Keep the key in a file</button>
<button id="logs" hidden>Open logs</button>
<button id="copy" hidden>Copy diagnostics</button>
<button id="update" hidden title="A copy of your data is made first">Install</button>
<span id="note" role="status" class="dim"></span>
</div>
<details id="details" hidden><summary>Last lines of the log</summary><pre id="lines" tabindex="0" role="region" aria-label="Log"></pre></details>
</main><script nonce="${nonce}">${SCRIPT}</script></body>
</html>
`;

/** Answer for an address of the shell scheme; undefined for an unknown one. */
export function shellPage(url: string): ShellPage | undefined {
  if (!isBootUrl(url)) return undefined;
  const nonce = randomBytes(16).toString('base64');
  return {
    body: body(nonce),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  };
}
