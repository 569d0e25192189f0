// The processes of one scenario: a single svcd with its own database file, or servers and workers around one PostgreSQL.
import { Svcd, type ProcessExit } from './processes.ts';
import type { RandomStream } from './random.ts';

export interface Timing {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly tasksAtOnce: number;
  /** Takeovers without progress after which a run is given up; 0: never. */
  readonly takeoversMax: number;
}

export interface Member {
  readonly name: string;
  readonly role: 'server' | 'worker';
  readonly args: readonly string[];
}

const timingArgs = ({ leaseMs, heartbeatMs, takeoversMax }: Timing) => [
  '--task-max-takeovers',
  String(takeoversMax),
  '--task-lease-duration',
  `${leaseMs}ms`,
  '--task-heartbeat-interval',
  `${heartbeatMs}ms`,
  '--allow-private-tool-endpoints',
  '--allow-private-model-endpoints',
  '--log-level',
  'warn',
];

/** One svcd with its embedded worker on a data directory. */
export function embeddedMembers(dataDir: string, timing: Timing): Member[] {
  const args = ['--addr', '127.0.0.1:0', '--data-dir', dataDir, '--shutdown-grace', '6s'];
  const size = ['--embedded-worker-max-concurrent-tasks', String(timing.tasksAtOnce)];
  return [{ name: 'server', role: 'server', args: [...args, ...size, ...timingArgs(timing)] }];
}

/** Servers that only serve, and workers that only work, on one database. */
export function sharedMembers(databaseUrl: string, timing: Timing, counts: { servers: number; workers: number }): Member[] {
  const shared = ['--database-url', databaseUrl, '--shutdown-grace', '6s', ...timingArgs(timing)];
  const servers = Array.from({ length: counts.servers }, (_, index): Member => {
    const name = `server-${index + 1}`;
    return { name, role: 'server', args: ['--addr', '127.0.0.1:0', '--embedded-worker=false', ...shared] };
  });
  const workers = Array.from({ length: counts.workers }, (_, index): Member => {
    const name = `worker-${index + 1}`;
    const size = ['--max-concurrent-tasks', String(timing.tasksAtOnce)];
    return { name, role: 'worker', args: ['worker', '--worker-id', name, ...size, ...shared] };
  });
  return [...servers, ...workers];
}

interface Place {
  readonly member: Member;
  process: Svcd | undefined;
  url: string | undefined;
}

export class Fleet {
  readonly #places: Map<string, Place>;
  /** Number of times that a member was killed. */
  kills = 0;
  /** Rejects when a member exits unexpectedly; never resolves. */
  readonly unexpectedEnd: Promise<never>;
  #closed = false;
  #reportEnd: (error: Error) => void = () => undefined;

  constructor(members: readonly Member[]) {
    this.unexpectedEnd = new Promise((_, reject) => (this.#reportEnd = reject));
    this.unexpectedEnd.catch(() => undefined);
    this.#places = new Map(members.map((member) => [member.name, { member, process: undefined, url: undefined }]));
  }

  names(role?: Member['role']): string[] {
    return [...this.#places.values()].filter(({ member }) => role === undefined || member.role === role).map(({ member }) => member.name);
  }

  isWorker(name: string): boolean {
    return this.#place(name).member.role === 'worker';
  }

  process(name: string): Svcd | undefined {
    return this.#place(name).process;
  }

  /** Addresses of servers that were ready and have not exited. */
  urls(): string[] {
    return [...this.#places.values()].flatMap(({ process, url }) => (process?.alive && url !== undefined ? [url] : []));
  }

  async startAll(): Promise<void> {
    // Starts one server first: it creates the tables, the others find them.
    const [first, ...rest] = this.names();
    if (first !== undefined) await this.start(first);
    await Promise.all(rest.map((name) => this.start(name)));
  }

  /** Starts a member; resolves once it is ready. Throws when it ends by itself first. */
  async start(name: string, under?: readonly string[]): Promise<void> {
    const process = this.launch(name, under);
    const ready = await this.awaitReady(name);
    if (!ready && !process.stopRequested) throw new Error(`${name} did not start:\n${process.tail.join('\n')}`);
  }

  /** Waits for a launched member; false when it ended first. */
  async awaitReady(name: string): Promise<boolean> {
    const place = this.#place(name);
    const { process, member } = place;
    const announced = await process?.ready();
    if (place.process === process && member.role === 'server') place.url = announced?.url;
    return announced !== undefined;
  }

  /** Starts a member without waiting for it; one that `mayEnd` may be ended by its wrapper. */
  launch(name: string, under?: readonly string[], mayEnd = false): Svcd {
    if (this.#closed) throw new Error('the scenario is over');
    const place = this.#place(name);
    place.url = undefined;
    const process = new Svcd({ args: place.member.args, ...(under && { under }) });
    void process.ended.then(({ code, signal }) => {
      if (process.stopRequested || mayEnd) return;
      this.#reportEnd(new Error(`${name} ended by itself (${signal ?? `exit code ${code}`}):\n${process.tail.slice(-20).join('\n')}`));
    });
    return (place.process = process);
  }

  async kill(name: string): Promise<void> {
    const place = this.#place(name);
    if (!place.process?.alive) return;
    this.kills += 1;
    await place.process.end('SIGKILL');
  }

  /** SIGTERM, and waits for the end. */
  async stop(name: string): Promise<ProcessExit | undefined> {
    return this.#place(name).process?.end('SIGTERM');
  }

  async stopAll(): Promise<Map<string, ProcessExit>> {
    const ends = await Promise.all(
      [...this.#places.values()].map(async ({ member, process }) => [member.name, await process?.end('SIGTERM')] as const),
    );
    return new Map(ends.flatMap(([name, ended]) => (ended ? [[name, ended]] : [])));
  }

  /** Ends all remaining processes at once; nothing can be started afterwards. */
  async endAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#places.values()].map(({ process }) => process?.end('SIGKILL') ?? Promise.resolve(undefined)));
  }

  /** Last lines of every member's output. */
  tails(): string {
    return [...this.#places.values()]
      .map(({ member, process }) => `${member.name}:\n  ${process?.tail.slice(-12).join('\n  ') ?? ''}`)
      .join('\n');
  }

  pickUrl(chance: RandomStream): string | undefined {
    const urls = this.urls();
    return urls.length === 0 ? undefined : chance.pick(urls);
  }

  #place(name: string): Place {
    const place = this.#places.get(name);
    if (!place) throw new Error(`no member ${name}`);
    return place;
  }
}
