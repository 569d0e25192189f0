// A PostgreSQL server of a test's own: made in a temporary directory, on a free loopback port, gone with it. Needs the server's binaries.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const DEBIAN_ROOT = '/usr/lib/postgresql';
const USER = 'svc';
const PASSWORD = 'only-for-tests';
const START_TIMEOUT_MS = 30_000;

export interface PostgresServer {
  readonly port: number;
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** `fast` ends connections, `immediate` is like a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts again on the same port and data. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Default false: tests that crash nothing need no disk. */
  readonly fsync?: boolean;
}

/** The newest installed server's programs, or undefined where there is none. `SVC_TEST_POSTGRES_BIN` names another place. */
export function postgresBinaries(): string | undefined {
  const named = process.env['SVC_TEST_POSTGRES_BIN'];
  if (named) return named;
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(DEBIAN_ROOT, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing server fails. */
export function withoutPostgres(suite: string): boolean {
  if (postgresBinaries() !== undefined || process.env['CI']) return false;
  process.stderr.write(`SKIPPED ${suite}: no PostgreSQL server programs on this machine (apt-get install postgresql)\n`);
  return true;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody');
  return { uid: Number(row?.[2]), gid: Number(row?.[3]) };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function privateFolder(prefix: string, owner: Owner | undefined): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(directory, 0o700);
  if (owner) chownSync(directory, owner.uid, owner.gid);
  return directory;
}

/** A new cluster, made once for this process: each server gets a copy, which takes a tenth of the time of initdb. */
let cluster: Promise<string> | undefined;

async function makeCluster(bin: string, owner: Owner | undefined): Promise<string> {
  const directory = privateFolder('svc-postgres-new-', owner);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const passwordFile = join(directory, 'password');
  const data = join(directory, 'data');
  writeFileSync(passwordFile, PASSWORD);
  if (owner) chownSync(passwordFile, owner.uid, owner.gid);
  const initArguments = [
    '-D',
    data,
    '-U',
    USER,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ];
  await run(join(bin, 'initdb'), initArguments, { ...owner, cwd: directory });
  return data;
}

export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = postgresBinaries();
  if (bin === undefined) throw new Error('no PostgreSQL server programs were found; install postgresql or set SVC_TEST_POSTGRES_BIN');
  const owner = serverOwner();
  const directory = privateFolder('svc-postgres-', owner);
  const data = join(directory, 'data');
  await run('cp', ['-a', await (cluster ??= makeCluster(bin, owner)), data]);
  const port = await freePort();
  const urlOf = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: options.fsync ? 'on' : 'off',
    max_connections: 200,
  };
  let server: ChildProcess | undefined;
  let databases = 0;

  const start = async (): Promise<void> => {
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...owner, cwd: directory, stdio: 'ignore' });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await answers(urlOf('postgres')))) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error('the PostgreSQL server of this test did not start');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async (mode: 'fast' | 'immediate'): Promise<void> => {
    const running = server;
    server = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  await start();
  return {
    port,
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop,
    start,
    async remove() {
      await stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
