// Checks of svcd doctor on its environment: Node.js, the data directory or the address of the database, the container engine. They change nothing.
import { access, constants, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { systemClock } from '../../clock.ts';
import type { Config, DatabaseConfig } from '../../config.ts';
import { databasePlace } from '../../config/flag-values.ts';
import { CallError } from '../../engine/ports.ts';
import { createLogger } from '../../log/log.ts';
import { createIsolation } from '../../tools/isolation/create-isolation.ts';
import { ownSurroundings } from '../../tools/isolation/docker/engine-places.ts';
import { openFilesLimit, openFilesProblem } from '../open-files.ts';
import { describeDatabase } from '../open-store.ts';
import type { Finding } from './settings.ts';

/** Older major versions get no fixes. */
const NODE_MAJOR_MIN = 22;
const NODE_MAJOR_RECOMMENDED = 24;
const CONNECT_MAX_MS = 3_000;
const OTHERS = 0o077;

export async function checkSurroundings(config: Config): Promise<Finding[]> {
  return [nodeVersion(), ...(await Promise.all([openFiles(config), state(config.database), engine(config)]))];
}

function nodeVersion(): Finding {
  const old = Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN;
  return {
    name: 'Node.js',
    value: process.version,
    ...(old && { warning: `an older version; ${NODE_MAJOR_RECOMMENDED} is recommended` }),
  };
}

async function openFiles({ maxConnections }: Config): Promise<Finding> {
  const limit = await openFilesLimit();
  const warning = openFilesProblem(limit, maxConnections);
  return { name: 'open files', value: limit === undefined ? 'no limit known' : String(limit), ...(warning !== undefined && { warning }) };
}

function state(database: DatabaseConfig): Promise<Finding> {
  return database.kind === 'embedded' ? dataDirectory(database.dataDir) : reachable(database);
}

async function dataDirectory(dataDir: string): Promise<Finding> {
  const name = 'data directory';
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return { name, value: `${dataDir} (made at the first start)` };
  const writable = await access(dataDir, constants.W_OK | constants.X_OK).then(
    () => found.isDirectory(),
    () => false,
  );
  if (!writable) return { name, value: dataDir, failed: true, warning: 'is not a directory that this user may write to' };
  return { name, value: dataDir, ...((found.mode & OTHERS) !== 0 && { warning: 'other users may look into it: chmod 700' }) };
}

/** Whether something takes connections there; no login is tried. */
async function reachable(database: Extract<DatabaseConfig, { kind: 'postgres' }>): Promise<Finding> {
  const place = databasePlace(database.url);
  // Its value may hold a password.
  if (!place) return { name: 'database', value: 'not shown', failed: true, warning: 'its URL cannot be parsed' };
  const value = Object.values(describeDatabase(database)).join('');
  const { host, port } = place;
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const answers = await new Promise<boolean>((done) => {
    const socket = connect({ ...target, timeout: CONNECT_MAX_MS });
    const end = (result: boolean) => {
      socket.destroy();
      done(result);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
  return { name: 'database', value, ...(!answers && { failed: true, warning: 'nothing answers at its address' }) };
}

async function engine({ tools, env }: Config): Promise<Finding> {
  const name = 'container engine';
  if (tools.isolationBackend === 'none') return { name, value: 'none' };
  const isolation = createIsolation({
    config: { ...tools, kubernetes: undefined },
    clock: systemClock,
    log: createLogger({ level: 'silent', format: 'json' }),
    owner: 'doctor',
    around: ownSurroundings(env),
    cluster: { host: undefined, port: undefined },
  });
  try {
    return { name, value: await isolation.engineFor('container', 'a tool').check() };
  } catch (error) {
    const why = error instanceof CallError ? `: ${error.message}` : '';
    return {
      name,
      value: 'does not answer',
      failed: tools.isolationBackend === 'docker',
      warning: `tools that run in containers fail${why}`,
    };
  }
}
