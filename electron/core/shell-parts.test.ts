// Smaller parts of the shell: command line, menus, tray, boot page, log file, environment, copies of the data.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUpData, copyData } from './backup.ts';
import { shellPage } from './bootpage.ts';
import { readBundle } from './bundle-file.ts';
import { parseCommandLine } from './cli.ts';
import { DataCommands } from './data-commands.ts';
import { copyOf, isInterrupted, recoverData, resetData, restoreData } from './data-folder.ts';
import { reasonOf } from './failures.ts';
import { findServer } from './find-server.ts';
import { openLogFile } from './log-file.ts';
import { personEnvironment } from './login-env.ts';
import { menuTemplate, trayTemplate, type MenuItem } from './menu.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-shell-'))));
afterEach(() => rmSync(directory, { recursive: true }));

describe('the command line', () => {
  test('is read among the arguments of Chromium', () => {
    const argv = [
      '--no-sandbox',
      '--user-data-dir=/data',
      '--hidden',
      '--profile',
      'shared',
      'svc://evil',
      'svc://open/a/Task/b',
      '/x/y.svcbundle',
    ];
    expect(parseCommandLine(argv)).toEqual({
      hidden: true,
      safeMode: false,
      userDataDir: '/data',
      profile: 'shared',
      link: { type: 'open', namespace: 'a', kind: 'Task', name: 'b' },
      files: ['/x/y.svcbundle'],
    });
  });

  test('takes a file by its address, as file managers of Linux give it', () => {
    const argv = ['file:///tmp/a%20b.svcbundle', 'file:///tmp/other.txt', 'file://host/x.svcbundle', 'file:///%zz.svcbundle'];
    expect(parseCommandLine(argv).files).toEqual(['/tmp/a b.svcbundle']);
  });

  test.each([[['--profile', '--hidden']], [['--profile=../x']], [['--user-data-dir']]])(
    '%o names neither profile nor directory',
    (argv) => {
      expect(parseCommandLine(argv)).toMatchObject({ profile: undefined, userDataDir: undefined });
    },
  );
});

describe('menus', () => {
  const commands = (items: readonly MenuItem[]): string[] =>
    items.flatMap((item) => (item.type === 'submenu' ? commands(item.items) : item.type === 'command' ? [item.command] : []));

  test.each(['darwin', 'linux', 'win32'] as const)('of %s restart the server, open the logs and quit', (platform) => {
    const found = commands(menuTemplate(platform));
    expect(found).toEqual(expect.arrayContaining(['restart-server', 'safe-mode', 'open-logs', 'quit', 'check-updates', 'open-inbox']));
    for (const once of ['quit', 'check-updates']) expect(found.filter((command) => command === once)).toHaveLength(1);
    expect(found).not.toContain('documentation');
  });

  test('show running and waiting work in the tray', () => {
    const quiet = trayTemplate({ phase: 'ready', runningTasks: 0, waiting: [], paused: false });
    expect(quiet).toMatchObject({ icon: 'tray', tooltip: 'Svc Desktop: nothing is running, no approvals wait' });
    const busy = trayTemplate({ phase: 'ready', runningTasks: 2, waiting: [{ server: undefined, count: 1 }], paused: false });
    expect(busy).toMatchObject({ icon: 'tray-attention', tooltip: 'Svc Desktop: 2 active runs, 1 approval waits' });
    expect(commands(busy.items)).toEqual(['show-window', 'open-inbox', 'pause-work', 'restart-server', 'quit']);
    const paused = trayTemplate({ phase: 'ready', runningTasks: 0, waiting: [], paused: true });
    expect([paused.tooltip, commands(paused.items)[1]]).toEqual(['Svc Desktop: work is paused, no approvals wait', 'resume-work']);
    expect(trayTemplate({ phase: 'failed', runningTasks: 0, waiting: [], paused: false }).icon).toBe('tray-attention');
    const copying = trayTemplate({ phase: 'copying', runningTasks: 0, waiting: [], paused: false });
    expect([copying.tooltip, commands(copying.items)]).toEqual([
      'Svc Desktop: the data is being copied, no approvals wait',
      ['show-window', 'quit'],
    ]);
  });
});

describe('the boot page', () => {
  test('runs its own script by a nonce and loads nothing', () => {
    const page = shellPage('svc-shell://boot/');
    const nonce = /'nonce-([^']+)'/.exec(page?.headers['content-security-policy'] ?? '')?.[1];
    expect(page?.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'nonce-/);
    expect(page?.body.match(/<(script|style) nonce="([^"]+)"/g)).toEqual([`<style nonce="${nonce}"`, `<script nonce="${nonce}"`]);
    expect(page?.body).not.toMatch(/\b(src|href)=/);
    expect(shellPage('svc-shell://boot/')?.body).not.toBe(page?.body);
  });

  test.each(['svc-shell://other/', 'svc-shell://boot.evil/', 'http://boot/', 'nonsense'])('answers no other address: %s', (url) => {
    expect(shellPage(url)).toBeUndefined();
  });
});

describe('the log file', () => {
  test('has at most five files of its size, and no credentials', () => {
    const path = join(directory, 'logs', 'server.log');
    const log = openLogFile(path, 100);
    for (let line = 0; line < 40; line += 1) log.write(`line ${line} `.padEnd(60, '.'));
    expect(readdirSync(join(directory, 'logs')).sort()).toEqual([
      'server.log',
      'server.log.1',
      'server.log.2',
      'server.log.3',
      'server.log.4',
    ]);
    log.write('Authorization: Bearer abcdefghijkl svc_ui=ui_abcdefghijklmnop.x {"token":"abcdefghijkl"}');
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/abcdefgh/);
    expect(text).toContain('Bearer [removed]');
  });

  test('causes no error when it cannot be written', () => {
    writeFileSync(join(directory, 'file'), '');
    expect(() => openLogFile(join(directory, 'file', 'x.log')).write('line')).not.toThrow();
  });
});

describe('the environment of the server', () => {
  test('has listed variables only', async () => {
    const env = { PATH: '/bin', HOME: '/root', OPENAI_API_KEY: 'secret', SVC_API_TOKENS: 'x', NODE_OPTIONS: '--inspect' };
    expect(await personEnvironment(env, { fromShell: false }).forServer()).toEqual({ PATH: '/bin', HOME: '/root', NODE_ENV: 'production' });
  });

  /** Shell whose files do `files` before the command runs with these variables. */
  function shellWith(variables: string, files = ''): string {
    const shell = join(directory, 'shell');
    writeFileSync(shell, `#!/bin/sh\n${files}\nshift; exec env -i ${variables} /bin/sh -c "$1"\n`, { mode: 0o755 });
    return shell;
  }

  const environmentOf = (shell: string) => personEnvironment({ PATH: '/bin', SHELL: shell }, { fromShell: true }).forServer();

  test('takes path and engine of the login shell, and ignores a shell that fails', async () => {
    expect(
      await environmentOf(shellWith('PATH=/opt/bin DOCKER_HOST=unix:///d.sock DOCKER_CONTEXT=box NODE_EXTRA_CA_CERTS=/ca.pem SECRET=x')),
    ).toEqual({
      PATH: '/opt/bin',
      DOCKER_HOST: 'unix:///d.sock',
      DOCKER_CONTEXT: 'box',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      SHELL: join(directory, 'shell'),
      NODE_ENV: 'production',
    });
    expect(await environmentOf(join(directory, 'absent'))).toMatchObject({ PATH: '/bin' });
  });

  test('ignores output of startup files of the shell', async () => {
    expect(await environmentOf(shellWith('PATH=/opt/bin', 'echo Welcome; echo PATH=/wrong'))).toMatchObject({ PATH: '/opt/bin' });
  });

  test('reads a character that arrives in two parts', async () => {
    const shell = join(directory, 'shell');
    const output = String.raw`printf 'svc-desktop-environment\nPATH=/\303'; sleep 0.2; printf '\244\0'`;
    writeFileSync(shell, `#!/bin/sh\n${output}\n`, { mode: 0o755 });
    expect(await environmentOf(shell)).toMatchObject({ PATH: '/ä' });
  });

  test('does not wait for a background process of the shell', async () => {
    const pids = join(directory, 'pids');
    const shell = shellWith('PATH=/opt/bin', `sleep 60 & echo $! > ${pids}`);
    try {
      expect(await environmentOf(shell)).toMatchObject({ PATH: '/opt/bin' });
    } finally {
      process.kill(Number(readFileSync(pids, 'utf8')));
    }
  });

  test('kills a shell that does not answer, with its child processes', async () => {
    const pids = join(directory, 'pids');
    expect(await environmentOf(shellWith('PATH=/opt/bin', `sleep 60 & echo $! > ${pids}; wait`))).toMatchObject({ PATH: '/bin' });
    await expect.poll(() => isAlive(Number(readFileSync(pids, 'utf8')))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('keys of providers in the environment', () => {
  test('are known by name, and their values are read on request', async () => {
    const shell = join(directory, 'key-shell');
    writeFileSync(shell, '#!/bin/sh\nshift; exec env -i PATH=/bin OPENAI_API_KEY=sk-shell OTHER_KEY=x /bin/sh -c "$1"\n', { mode: 0o755 });
    const environment = personEnvironment(
      { PATH: '/bin', SHELL: shell, GROQ_API_KEY: 'gsk-own', MISTRAL_API_KEY: ' ' },
      { fromShell: true },
    );
    expect(JSON.stringify(await environment.forServer())).not.toMatch(/sk-shell|gsk-own/);
    expect(environment.keyNames()).toEqual(['OPENAI_API_KEY', 'GROQ_API_KEY']);
    expect(await environment.readKey('OPENAI_API_KEY')).toBe('sk-shell');
    expect(await environment.readKey('ANTHROPIC_API_KEY')).toBeNull();
  });
});

describe('copies of the data', () => {
  test('hold the data of a server alone, and are five at most beside copies of the person', async () => {
    const data = join(directory, 'data');
    mkdirSync(join(data, 'memories'), { recursive: true });
    for (const name of ['svc.db', 'svc.db-wal', 'svc.db.lock', 'svc.db.lock-journal', 'runtime.json', 'holiday.jpg'])
      writeFileSync(join(data, name), name);
    mkdirSync(join(directory, 'backups', '2026-before-the-move'), { recursive: true });
    const labels = [0, 1, 2, 3, 4, 5, 6].map((second) => `2026-01-01T00-00-0${second}`);
    for (const label of labels) await backUpData(data, join(directory, 'backups'), label);
    expect(readdirSync(join(directory, 'backups')).sort()).toEqual(['2026-before-the-move', ...labels.slice(2)].sort());
    expect(readdirSync(join(directory, 'backups', '2026-01-01T00-00-06')).sort()).toEqual(['memories', 'svc.db', 'svc.db-wal']);
  });

  test('are removed when they fail, and when the app ended before they were complete', async () => {
    const data = join(directory, 'data');
    const backups = join(directory, 'backups');
    mkdirSync(join(data, 'memories'), { recursive: true });
    writeFileSync(join(data, 'svc.db'), 'data');
    // A socket cannot be copied.
    const socket = createServer().listen(join(data, 'memories', 's'));
    await once(socket, 'listening');
    await expect(backUpData(data, backups, '2026-01-01T00-00-00')).rejects.toThrow('socket');
    mkdirSync(join(backups, '2026-01-01T00-00-01.partial'), { recursive: true });
    await promisify(socket.close.bind(socket))();
    await backUpData(data, backups, '2026-01-01T00-00-02');
    expect(readdirSync(backups)).toEqual(['2026-01-01T00-00-02']);
  });

  test('hold the data behind a link, and refuse links and devices within the data', async () => {
    const data = join(directory, 'data');
    mkdirSync(join(directory, 'large-disk'));
    mkdirSync(join(data, 'memories'), { recursive: true });
    writeFileSync(join(directory, 'large-disk', 'svc.db'), 'first');
    symlinkSync(join(directory, 'large-disk', 'svc.db'), join(data, 'svc.db'));
    const copy = (await backUpData(data, join(directory, 'backups'), '2026-01-01T00-00-00')) ?? '';
    writeFileSync(join(data, 'svc.db'), 'second');
    expect(readFileSync(join(copy, 'svc.db'), 'utf8')).toBe('first');
    for (const target of ['/dev/zero', '/']) {
      const link = join(copy, 'memories', 'link');
      symlinkSync(target, link);
      await expect(copyData(copy, join(directory, 'arriving'))).rejects.toThrow('memories/link is a link, a device or a socket');
      rmSync(link);
    }
    symlinkSync('/dev/zero', join(copy, 'svc.db-wal'));
    await expect(copyData(copy, join(directory, 'arriving'))).rejects.toThrow('/dev/zero is a link, a device or a socket');
    expect(existsSync(join(directory, 'arriving'))).toBe(false);
  });

  test('are none for a directory that does not exist', async () => {
    expect(await backUpData(join(directory, 'absent'), join(directory, 'backups'), 'x')).toBeUndefined();
    expect(existsSync(join(directory, 'backups'))).toBe(false);
  });
});

describe('the data directory', () => {
  const folder = () => ({ dataDir: join(directory, 'data'), backups: join(directory, 'backups'), label: '2026' });
  function write(path: string, text: string): string {
    mkdirSync(join(directory, path), { recursive: true });
    writeFileSync(join(directory, path, 'svc.db'), text);
    return join(directory, path);
  }
  const stored = (path: string) => readFileSync(join(directory, path, 'svc.db'), 'utf8');

  test('is reset after a copy of its old content is saved', async () => {
    write('data', 'old');
    expect(await resetData(folder())).toBe(join(directory, 'backups', '2026-before-reset'));
    expect([readdirSync(join(directory, 'data')), stored('backups/2026-before-reset')]).toEqual([[], 'old']);
  });

  test('is replaced by a copy, the oldest one included, after the existing data is copied', async () => {
    write('data', 'present');
    const copies = [1, 2, 3, 4, 5].map((second) => `2026-01-01T00-00-0${second}`);
    for (const label of copies) write(`backups/${label}`, `copy ${label}`);
    await restoreData({ ...folder(), label: '2026-01-02T00-00-00' }, join(directory, 'backups', '2026-01-01T00-00-01'));
    expect([stored('data'), stored('backups/2026-01-02T00-00-00-before-restore')]).toEqual(['copy 2026-01-01T00-00-01', 'present']);
    expect([readdirSync(directory).sort(), readdirSync(join(directory, 'data'))]).toEqual([['backups', 'data'], ['svc.db']]);
    expect(existsSync(join(directory, 'backups', '2026-01-01T00-00-01'))).toBe(false);
  });

  test('is replaced without the directory, other files in it, and files beside the copy', async () => {
    write('data', 'present');
    write('Desktop', 'copy');
    for (const path of ['data/svc.db.lock', 'data/notes.txt', 'Desktop/holiday.jpg']) writeFileSync(join(directory, path), path);
    const { ino } = statSync(join(directory, 'data'));
    await restoreData({ ...folder(), dataDir: `${join(directory, 'data')}/` }, join(directory, 'Desktop'));
    expect([stored('data'), statSync(join(directory, 'data')).ino]).toEqual(['copy', ino]);
    expect(readdirSync(join(directory, 'data')).sort()).toEqual(['notes.txt', 'svc.db', 'svc.db.lock']);
  });

  test('is that of before when the app ended while it was moved away', async () => {
    write('data/.replacing', 'before');
    write('data/.restoring', 'copy');
    writeFileSync(join(directory, 'data', 'svc.db-wal'), 'not moved yet');
    expect(isInterrupted(folder().dataDir)).toBe(true);
    await recoverData(folder().dataDir);
    expect([readdirSync(join(directory, 'data')).sort(), stored('data')]).toEqual([['svc.db', 'svc.db-wal'], 'before']);
    expect(isInterrupted(folder().dataDir)).toBe(false);
  });

  test('is that of before when the app ended within a reset', async () => {
    write('data/.replaced', 'before');
    await recoverData(folder().dataDir);
    expect([readdirSync(join(directory, 'data')), stored('data')]).toEqual([['svc.db'], 'before']);
  });

  test('is the copy when the app ended while that was moved in, or after it', async () => {
    write('data/.replaced', 'before');
    write('data/.restoring', 'copy');
    mkdirSync(join(directory, 'data', 'memories'));
    await recoverData(folder().dataDir);
    write('data/.replaced', 'before');
    await recoverData(folder().dataDir);
    expect([readdirSync(join(directory, 'data')).sort(), stored('data')]).toEqual([['memories', 'svc.db'], 'copy']);
  });

  test('stays as it is when the copy is invalid', async () => {
    write('data', 'present');
    await expect(restoreData(folder(), join(directory, 'absent'))).rejects.toThrow('ENOENT');
    expect(stored('data')).toBe('present');
  });

  test.each(['data/svc.db', 'data/deeper/svc.db', 'elsewhere/other.db', 'backups/x.partial/svc.db'])('is not restored from %s', (path) => {
    expect(() => copyOf(join(directory, path), folder().dataDir)).toThrow(/Choose|in use|not complete/);
  });
});

describe('commands on all data', () => {
  function setup(changes: Partial<ConstructorParameters<typeof DataCommands>[0]> = {}, answer = true, open = () => Promise.resolve()) {
    const calls: string[] = [];
    const asked: string[] = [];
    mkdirSync(join(directory, 'server'), { recursive: true });
    writeFileSync(join(directory, 'server', 'svc.db'), 'data');
    const commands = new DataCommands({
      api: {
        confirm: ({ message, detail }) => Promise.resolve((asked.push(`${message} ${detail}`), answer)),
        openPath: (path) => (calls.push(`open ${path}`), open()),
        pickFiles: () => Promise.resolve([join(directory, 'copy', 'svc.db')]),
        pickTarget: (name) => Promise.resolve(join(directory, name)),
        paths: { userData: directory, logs: '', preload: '', server: '', icons: '' },
      },
      readExport: () => Promise.resolve('kind: Agent\n'),
      dataDir: join(directory, 'server'),
      runningTasks: () => 2,
      maintain: (work, act) => (calls.push(work), act()),
      report: async (title, error) => void asked.push(`${title} ${reasonOf(error)}`),
      ...changes,
    });
    return { commands, calls, asked };
  }

  test('export into a private file, and report why when there is nothing to write', async () => {
    const { commands, calls, asked } = setup();
    await commands.exportAll();
    const name = readdirSync(directory).find((each) => /^export-\d{4}-\d\d-\d\d\.yaml$/.test(each)) ?? '';
    expect(readFileSync(join(directory, name), 'utf8')).toBe('kind: Agent\n');
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    const failing = setup({ readExport: () => Promise.reject(new Error('The server of this app is not running')) });
    await failing.commands.exportAll();
    expect([calls, asked, failing.asked]).toEqual([[], [], ['Nothing was exported The server of this app is not running']]);
  });

  test('copy while the server is stopped, and show the copy', async () => {
    const { commands, calls } = setup();
    await commands.backUp();
    expect(calls).toEqual(['copying', expect.stringContaining(join(directory, 'backups')) as string]);
  });

  test('report a copy as made when the system does not open its folder', async () => {
    const { commands, asked } = setup({}, true, () => Promise.reject(new Error('no program opens folders')));
    await commands.backUp();
    expect(asked).toEqual([expect.stringMatching(/^The data was copied to .*backups.* no program opens folders$/) as string]);
  });

  test('change nothing without a confirmation, and report the number of active runs', async () => {
    const { commands, calls, asked } = setup({}, false);
    await commands.reset();
    await commands.restore();
    expect([calls, asked.length, existsSync(join(directory, 'server', 'svc.db'))]).toEqual([[], 2, true]);
    expect(asked[0]).toContain('2 runs are active');
  });

  test('show the reason when the work fails', async () => {
    const { commands, calls, asked } = setup();
    await commands.restore();
    expect(calls).toEqual(['restoring']);
    expect(asked.at(-1)).toContain('The copy was not restored ENOENT');
  });
});

describe('a bundle that the system opens', () => {
  test('is read by its name, and anything else is refused with a reason', async () => {
    const path = join(directory, 'support.svcbundle');
    writeFileSync(path, 'kind: Bundle');
    expect(await readBundle(path)).toEqual({ type: 'bundle', name: 'support.svcbundle', text: 'kind: Bundle' });
    mkdirSync(join(directory, 'folder.svcbundle'));
    writeFileSync(join(directory, 'large.svcbundle'), Buffer.alloc(4 * 1024 * 1024 + 1));
    await expect(readBundle(join(directory, 'desktop.json'))).rejects.toThrow('is not a bundle');
    await expect(readBundle(join(directory, 'folder.svcbundle'))).rejects.toThrow('is not a file');
    await expect(readBundle(join(directory, 'large.svcbundle'))).rejects.toThrow('larger than 4 MB');
    await expect(readBundle(join(directory, 'absent.svcbundle'))).rejects.toThrow('ENOENT');
  });

  test.skipIf(process.platform === 'win32')('is refused at once when it is a pipe', async () => {
    const pipe = join(directory, 'pipe.svcbundle');
    execFileSync('mkfifo', [pipe]);
    await expect(readBundle(pipe)).rejects.toThrow('pipe.svcbundle is not a file');
  });
});

describe('the server that owns a data directory', () => {
  const answers = () => Promise.resolve(new Response('{}'));
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://192.168.0.9:8080', null],
    ['https://evil.example', null],
  ])('at %s is %s', async (origin, expected) => {
    writeFileSync(join(directory, 'runtime.json'), JSON.stringify({ pid: 1, origin, bootNonce: 'x', version: '1' }));
    expect(await findServer(directory, answers as typeof fetch)).toBe(expected);
  });

  test('is none without a file, or when it does not answer', async () => {
    expect(await findServer(directory, answers as typeof fetch)).toBeNull();
    writeFileSync(join(directory, 'runtime.json'), JSON.stringify({ pid: 1, origin: 'http://127.0.0.1:1', bootNonce: 'x', version: '1' }));
    expect(await findServer(directory)).toBeNull();
  });
});
