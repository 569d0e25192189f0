// Clients that create Tasks, retry after failures of connection or server, and record acknowledged ones. Only a bounded number of Tasks is
// open at once, so the load lasts as long as the faults.
import { randomStream, hash32, type RandomStream } from './random.ts';
import type { Fleet } from './fleet.ts';
import { taskBody, type SystemName, type TaskPlan } from './play.ts';

export interface AcknowledgedTask {
  readonly plan: TaskPlan;
  /** Milliseconds since the epoch at which the client received its 201 (or the 409 or 200 of a repeated request that had succeeded). */
  readonly at: number;
}

export interface Refusal {
  readonly at: number;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface LoadOptions {
  readonly seed: number;
  readonly fleet: Fleet;
  readonly prefix: string;
  /** Tasks open at once at most. */
  readonly window: number;
  /** In [0, 1]. */
  readonly flakyShare?: number;
}

const RETRY_MS = 30;
const REQUEST_TIMEOUT_MS = 15_000;

type SendOutcome =
  | { readonly kind: 'done' }
  /** The connection failed or was refused. The server may have executed the request nevertheless. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Posts once. */
async function send(url: string, path: string, body: object): Promise<SendOutcome> {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const answer = (await response.json()) as { error?: { code: string; message: string } };
    if (response.ok) return { kind: 'done' };
    const { code = '', message = '' } = answer.error ?? {};
    return { kind: 'refused', refusal: { at: Date.now(), status: response.status, code, message } };
  } catch {
    return { kind: 'broken' };
  }
}

export class Load {
  readonly acknowledged = new Map<string, AcknowledgedTask>();
  /** Plans that were sent at least once. */
  readonly sent = new Map<string, TaskPlan>();
  readonly refusals: Refusal[] = [];
  /** Requests whose connection broke. */
  broken = 0;
  readonly #options: LoadOptions;
  readonly #chance: RandomStream;
  readonly #open = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #goal = 0;
  #started = 0;
  #stopped = false;
  #gaveUp = false;
  #clients: Promise<void>[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#chance = randomStream(options.seed, 'load', options.prefix);
  }

  /** Sets the total number of Tasks; clients run until it is reached. */
  start(goal: number, clients = 6): void {
    this.#goal = goal;
    this.#clients = Array.from({ length: clients }, () => this.#client());
  }

  raise(goal: number): void {
    this.#goal = Math.max(this.#goal, goal);
    this.#wake();
  }

  get goal(): number {
    return this.#goal;
  }

  /** Creates a Task of its own beside those of the clients; resolves once it is acknowledged. */
  add(plan: TaskPlan): Promise<void> {
    return this.#create(plan);
  }

  /** Called at the end of a Task. */
  ended(name: string): void {
    if (this.#open.delete(name)) this.#wake();
  }

  isOpen(name: string): boolean {
    return this.#open.has(name);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Stops new Tasks beyond those that were begun; resolves when every begun one is acknowledged. */
  async finish(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await Promise.all(this.#clients);
  }

  /** Ends all requests and waits at once. */
  giveUp(): void {
    this.#stopped = true;
    this.#gaveUp = true;
    this.#wake();
  }

  /** Resolves when every Task of the goal has been acknowledged. */
  async reached(): Promise<void> {
    while (this.acknowledged.size < this.#goal && !this.#gaveUp) await this.#change();
  }

  /** Resolves when no acknowledged Task is open, or after `timeoutMs`. */
  async drained(timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (this.#open.size > 0 && Date.now() < deadline) await this.#change();
    return this.#open.size === 0;
  }

  /** One POST with retries until it is acknowledged; for the declarations. */
  async put(path: string, body: object): Promise<void> {
    while (!this.#gaveUp) {
      const url = this.#options.fleet.pickUrl(this.#chance);
      const sent = url === undefined ? ({ kind: 'broken' } as const) : await send(url, path, body);
      if (sent.kind === 'done') return;
      if (sent.kind === 'refused' && sent.refusal.status < 500) throw new Error(`${path}: ${sent.refusal.message}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #client(): Promise<void> {
    for (;;) {
      while (!this.#stopped && (this.#started >= this.#goal || this.#open.size >= this.#options.window)) await this.#change();
      if (this.#stopped) return;
      this.#started += 1;
      await this.#create(this.#plan(this.#started));
    }
  }

  async #create(plan: TaskPlan): Promise<void> {
    this.#open.add(plan.name);
    this.sent.set(plan.name, plan);
    while (!this.#gaveUp) {
      const url = this.#options.fleet.pickUrl(this.#chance);
      const sent = url === undefined ? ({ kind: 'broken' } as const) : await send(url, '/v1/tasks', taskBody(plan));
      if (sent.kind === 'done') break;
      if (sent.kind === 'broken' && url !== undefined) this.broken += 1;
      if (sent.kind === 'refused') this.refusals.push(sent.refusal);
      if (sent.kind === 'refused' && sent.refusal.status < 500) throw new Error(`creating ${plan.name}: ${JSON.stringify(sent.refusal)}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    if (this.#gaveUp) return;
    this.acknowledged.set(plan.name, { plan, at: Date.now() });
    this.#wake();
  }

  #plan(number: number): TaskPlan {
    const { seed, prefix, flakyShare = 0.1 } = this.#options;
    const draw = (what: string) => hash32(seed, prefix, number, what) / 2 ** 32;
    const name = `${prefix}-${number}`;
    const flaky = draw('flaky') < flakyShare;
    const system: SystemName = draw('system') < 0.5 ? 'chain' : 'join';
    // The keys are not in alphabetical order: the input of agents keeps the order that was sent.
    return { name, system, flaky, input: { task: name, payload: String(hash32(seed, name)), flaky: String(flaky), about: 'tides' } };
  }

  #wake(): void {
    this.#waiting.forEach((wake) => wake());
    this.#waiting.clear();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 200);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
