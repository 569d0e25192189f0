// The state machine of the supervisor: starts, crashes, backoff, silence, refusals and stops, over a scripted host and timers.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Bootstrap, FromServer, ToServer } from '@svc/shared/control';
import type { BackendState } from '@svc/shared/desktop-api';
import { Supervisor, type ChildEvents } from './supervisor.ts';

const VERSION = '1.2.3';
const ORIGIN = 'http://127.0.0.1:4000';

class FakeTimers {
  time = 0;
  #waiting: { at: number; action: () => void }[] = [];
  now = () => this.time;
  after = (ms: number, action: () => void) => {
    const entry = { at: this.time + ms, action };
    this.#waiting.push(entry);
    return () => void (this.#waiting = this.#waiting.filter((each) => each !== entry));
  };
  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      const next = this.#waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.time = next.at;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      next.action();
      await settle();
    }
    this.time = until;
  }
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

class FakeChild {
  readonly sent: ToServer[] = [];
  killed = false;
  readonly pid = 1;
  readonly events: ChildEvents;
  /** Ends when it is killed. */
  mortal = true;
  constructor(events: ChildEvents) {
    this.events = events;
  }
  send(message: ToServer): void {
    this.sent.push(message);
  }
  kill(): void {
    this.killed = true;
    if (this.mortal) this.events.onExit(null);
  }
  say(...messages: (FromServer | object)[]): void {
    for (const message of messages) this.events.onMessage(message);
  }
  ready(): void {
    this.say({ type: 'hello', version: VERSION, protocol: 1, pid: 1 }, { type: 'ready', origin: ORIGIN });
  }
}

let timers: FakeTimers;
let children: FakeChild[];
let states: BackendState[];
let passedOn: FromServer[];
let supervisor: Supervisor;
let other: string | null;

beforeEach(() => {
  timers = new FakeTimers();
  children = [];
  states = [];
  passedOn = [];
  other = null;
  supervisor = new Supervisor({
    host: {
      start(events) {
        const child = new FakeChild(events);
        children.push(child);
        return child;
      },
    },
    timers,
    version: VERSION,
    bootstrap: () => ({ type: 'bootstrap' }) as Bootstrap,
    onState: (state) => states.push(state),
    onMessage: (message) => passedOn.push(message),
    onLine: () => undefined,
    findOther: () => Promise.resolve(other),
  });
});

const last = (): FakeChild => children.at(-1) as FakeChild;
const phases = () => states.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);

describe('a start', () => {
  test('sends the settings, and is ready with the address of the server', () => {
    supervisor.start();
    expect(last().sent).toEqual([{ type: 'bootstrap' }]);
    last().ready();
    expect(supervisor.state).toEqual({
      phase: 'ready',
      origin: ORIGIN,
      attempt: 1,
      migration: null,
      problem: null,
      attachable: null,
      log: [],
    });
  });

  test('shows an upgrade, and waits a minute for each of its steps', async () => {
    supervisor.start();
    for (let step = 0; step < 3; step += 1) {
      last().say({ type: 'migrating', from: 1, to: 4, step, total: 3 });
      await timers.pass(50_000);
    }
    expect(supervisor.state).toMatchObject({ phase: 'migrating', migration: { step: 2, total: 3 } });
    last().ready();
    expect(phases()).toEqual(['starting', 'migrating', 'ready']);
  });

  test('passes on messages that it does not handle', () => {
    supervisor.start();
    last().ready();
    last().say({ type: 'badge', count: 2 });
    expect(passedOn).toEqual([{ type: 'badge', count: 2 }]);
  });

  test.each([
    ['of another protocol', { type: 'hello', version: VERSION, protocol: 2, pid: 1 }],
    ['of another version', { type: 'hello', version: '9.9.9', protocol: 1, pid: 1 }],
    ['with messages of an unknown form', { type: 'readiest', origin: 'file:///etc' }],
    ['with an address of another machine', { type: 'ready', origin: 'http://evil.example:4000' }],
    ['with an address that is more than an origin', { type: 'ready', origin: 'http://127.0.0.1:4000/path' }],
  ])('rejects a server %s without a restart', (_, message) => {
    supervisor.start();
    last().say(message);
    expect(last().killed).toBe(true);
    expect(supervisor.state).toMatchObject({ phase: 'failed', problem: { code: 'BAD_BOOTSTRAP' } });
  });
});

describe('a crash', () => {
  test('leads to a restart after half a second, then after twice the wait each time, up to ten seconds', async () => {
    supervisor.start();
    const waits: number[] = [];
    for (let crash = 0; crash < 5; crash += 1) {
      const [before, began] = [children.length, timers.time];
      last().events.onExit(1);
      expect(supervisor.state.phase).toBe('backoff');
      while (children.length === before) await timers.pass(100);
      waits.push(timers.time - began);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  });

  test('ends the attempts after five restarts of a server that never becomes ready, with the last lines of its log', async () => {
    supervisor.start();
    for (let crash = 0; crash < 6; crash += 1) {
      last().events.onLine(`line of start ${crash} {"token":"abcdefghijkl"}`);
      last().events.onExit(1);
      await timers.pass(10_000);
    }
    expect(children).toHaveLength(6);
    expect(supervisor.state).toMatchObject({
      phase: 'failed',
      problem: { code: 'CRASHED' },
      log: ['line of start 5 {"token":"[removed]"}'],
    });
    supervisor.start();
    expect(supervisor.state).toMatchObject({ phase: 'starting', attempt: 1 });
  });

  test('counts as the first for a server that was ready for a minute', async () => {
    supervisor.start();
    for (let crash = 0; crash < 8; crash += 1) {
      last().ready();
      await timers.pass(60_000);
      last().events.onExit(null);
      await timers.pass(500);
    }
    expect(children).toHaveLength(9);
    expect(supervisor.state.phase).toBe('starting');
  });

  test('is reported with the reason that the server gave', async () => {
    supervisor.start();
    last().say({ type: 'fatal', code: 'DISK_FULL', message: 'the disk is full', hint: 'Free some space.' });
    last().events.onExit(1);
    expect(supervisor.state).toMatchObject({ phase: 'backoff', problem: { code: 'DISK_FULL' } });
    await timers.pass(500);
    expect(children).toHaveLength(2);
  });
});

describe('exit codes 77 and 78', () => {
  test('end the attempts at once', async () => {
    supervisor.start();
    last().say({ type: 'fatal', code: 'SCHEMA_TOO_NEW', message: 'newer', hint: 'Install the newer version.' });
    last().events.onExit(78);
    await timers.pass(60_000);
    expect(children).toHaveLength(1);
    expect(supervisor.state).toMatchObject({ phase: 'failed', problem: { code: 'SCHEMA_TOO_NEW' } });
  });

  test('offer the server that owns a locked directory', async () => {
    other = 'http://127.0.0.1:8080';
    supervisor.start();
    last().events.onExit(77);
    await settle();
    expect(supervisor.state).toMatchObject({ phase: 'failed', problem: { code: 'LOCKED' }, attachable: 'http://127.0.0.1:8080' });
    supervisor.start();
    expect(supervisor.state).toMatchObject({ phase: 'starting', attachable: null });
  });
});

describe('silence', () => {
  test('before the server is ready ends it after a minute, and the attempts after three of them', async () => {
    supervisor.start();
    await timers.pass(60_000);
    expect(children[0]?.killed).toBe(true);
    await timers.pass(200_000);
    expect(children).toHaveLength(3);
    expect(supervisor.state).toMatchObject({ phase: 'failed', problem: { code: 'SILENT' } });
  });
});

describe('a stop', () => {
  test('requests the end of the server, and reports its exit', async () => {
    supervisor.start();
    last().ready();
    const stopped = supervisor.stop(5_000);
    expect(last().sent.at(-1)).toEqual({ type: 'shutdown', graceMs: 5_000 });
    last().events.onExit(0);
    expect(await stopped).toBe(true);
    expect(phases()).toEqual(['starting', 'ready', 'draining', 'stopped']);
  });

  test('kills a server that does not end, and is false when that fails', async () => {
    supervisor.start();
    last().ready();
    const first = supervisor.stop(5_000);
    await timers.pass(7_000);
    expect(await first).toBe(true);
    supervisor.start();
    last().mortal = false;
    const second = supervisor.stop(1_000);
    await timers.pass(10_000);
    expect(await second).toBe(false);
    supervisor.start();
    expect(children).toHaveLength(2);
  });

  test('during an upgrade leaves nothing to start, whatever step the server reports after it', async () => {
    supervisor.start();
    last().say({ type: 'migrating', from: 1, to: 3, step: 1, total: 2 });
    const stopped = supervisor.stop(1_000);
    last().say({ type: 'migrating', from: 1, to: 3, step: 2, total: 2 });
    last().events.onExit(0);
    expect(await stopped).toBe(true);
    await timers.pass(60_000);
    expect(children).toHaveLength(1);
    expect(phases()).toEqual(['starting', 'migrating', 'draining', 'stopped']);
  });

  test('during the wait for a restart leaves nothing to start', async () => {
    supervisor.start();
    last().events.onExit(1);
    expect(await supervisor.stop(1_000)).toBe(true);
    await timers.pass(60_000);
    expect(children).toHaveLength(1);
    expect(supervisor.state.phase).toBe('stopped');
  });
});
