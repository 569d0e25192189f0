// Senders of webhook deliveries and schedules of every minute: each event is sent to two servers at once, and again until it gets a 2xx.
import { createHash, createHmac } from 'node:crypto';
import type { Fleet } from './fleet.ts';
import type { Load } from './load.ts';
import { randomStream, type RandomStream } from './random.ts';

const WEBHOOK = 'hooked';
const SCHEDULES = 10;
const SECRET = 'topsecret';
/** Senders that deliver one event after the other. */
const SENDERS = 3;
const PAUSE_MAX_MS = 600;
const RETRY_MS = 100;
/** A sender gives a delivery up and sends it again, while a stopped server may still handle the first one. */
const REQUEST_TIMEOUT_MS = 3_000;
const SETTLE_MAX_MS = 30_000;

export interface Answer {
  readonly eventId: string;
  /** `namespace/name`. */
  readonly task: string;
  readonly duplicate: boolean;
}

/** Replies that the clients received, and the statuses of webhook and schedules after the last run has ended. */
export interface TriggerReport {
  readonly events: readonly string[];
  /** Replies with a 2xx. */
  readonly answers: readonly Answer[];
  /** Genuine deliveries that were sent, answered or not. */
  readonly deliveries: number;
  /** Deliveries with a wrong signature that were sent. */
  readonly forgeries: number;
  /** Unexpected replies, in words. */
  readonly surprises: readonly string[];
  readonly webhook: Readonly<Record<string, unknown>>;
  /** By name. */
  readonly schedules: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly armed: Span;
  readonly disarmed: Span;
}

/** Time of a request, in milliseconds since the epoch: its effect lies between both. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export interface TriggersOptions {
  readonly seed: number;
  readonly fleet: Fleet;
  readonly load: Load;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const schedule = (index: number, suspend: boolean) => ({
  kind: 'TaskSchedule',
  metadata: { name: `minutely-${index}` },
  spec: { task_ref: 'tick-template', schedule: '* * * * *', successful_history_limit: 100, suspend },
});

const schedules = (suspend: boolean) => Array.from({ length: SCHEDULES }, (_, index) => schedule(index + 1, suspend));

const template = (name: string, system: string) => ({ kind: 'Task', metadata: { name }, spec: { system, mode: 'template' } });

const DECLARATIONS = [
  { kind: 'ModelEndpoint', metadata: { name: 'mock' }, spec: { provider: 'mock' } },
  { kind: 'Agent', metadata: { name: 'tick' }, spec: { model_ref: 'mock', prompt: 'Answer.' } },
  { kind: 'AgentSystem', metadata: { name: 'tick' }, spec: { agents: ['tick'] } },
  { kind: 'Secret', metadata: { name: 'hook-secret' }, spec: { stringData: { value: SECRET } } },
  template('tick-template', 'tick'),
  template('hook-template', 'chain'),
  {
    kind: 'TaskWebhook',
    metadata: { name: WEBHOOK },
    spec: { task_ref: 'hook-template', auth: { profile: 'github', secret_ref: 'hook-secret' } },
  },
];

export const runOfEvent = (eventId: string): string => `${WEBHOOK}-${createHash('sha256').update(eventId).digest('hex').slice(0, 16)}`;

const signed = (body: string) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

export class Triggers {
  readonly #options: TriggersOptions;
  readonly #answers: Answer[] = [];
  readonly #events: string[] = [];
  readonly #surprises: string[] = [];
  #deliveries = 0;
  #forgeries = 0;
  #path = '';
  #armed: Span = { from: 0, until: 0 };
  #sending = true;
  #senders: Promise<void>[] = [];

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  /** Declares webhook and schedules, and begins to send. */
  async begin(): Promise<void> {
    const { load, seed } = this.#options;
    await load.put('/v1/apply', DECLARATIONS);
    const from = Date.now();
    await load.put('/v1/apply', schedules(false));
    this.#armed = { from, until: Date.now() };
    const webhook = await this.#status('task-webhooks', WEBHOOK, ({ endpointPath }) => endpointPath !== undefined);
    this.#path = String(webhook['endpointPath']);
    this.#senders = Array.from({ length: SENDERS }, (_, index) => this.#sendOn(randomStream(seed, 'deliveries', index), index));
  }

  /** Ends the deliveries once each event is answered, suspends the schedules, and waits for the ends of all runs. */
  async end(): Promise<TriggerReport> {
    this.#sending = false;
    await Promise.all(this.#senders);
    const from = Date.now();
    await this.#options.load.put('/v1/apply', schedules(true));
    const disarmed = { from, until: Date.now() };
    const settled = await Promise.all(
      schedules(true).map(async ({ metadata: { name } }) => {
        const idle = ({ phase, activeRuns }: Readonly<Record<string, unknown>>) =>
          phase === 'Suspended' && JSON.stringify(activeRuns) === '[]';
        return [name, await this.#status('task-schedules', name, idle)] as const;
      }),
    );
    await this.#runsEnded();
    const events = this.#events.length;
    const webhook = await this.#status('task-webhooks', WEBHOOK, ({ acceptedCount }) => Number(acceptedCount) >= events);
    return {
      ...{ webhook, disarmed, events: this.#events, answers: this.#answers, surprises: this.#surprises },
      ...{ deliveries: this.#deliveries, forgeries: this.#forgeries, armed: this.#armed, schedules: new Map(settled) },
    };
  }

  async #sendOn(chance: RandomStream, sender: number): Promise<void> {
    for (let number = 1; this.#sending; number += 1) {
      const eventId = `event-${sender}-${number}`;
      this.#events.push(eventId);
      await Promise.all([this.#deliver(eventId, chance), this.#deliver(eventId, chance), this.#forge(eventId, chance)]);
      await pause(chance.between(0, PAUSE_MAX_MS));
    }
  }

  /** Sends until the answer is a 2xx. The ledger finds the Task of a call by a line of the body. */
  async #deliver(eventId: string, chance: RandomStream): Promise<void> {
    const body = `${eventId}\ntask: ${runOfEvent(eventId)}\n`;
    for (;;) {
      const reply = await this.#post(chance, eventId, { body, signature: signed(body) });
      if (reply) this.#deliveries += 1;
      if (reply && reply.status >= 200 && reply.status < 300) {
        this.#answers.push({ eventId, task: String(reply.body['task']), duplicate: reply.body['duplicate'] === true });
        return;
      }
      if (reply && reply.status >= 400 && reply.status < 500) {
        this.#surprises.push(`${eventId} was answered with ${reply.status}: ${JSON.stringify(reply.body)}`);
        return;
      }
      await pause(RETRY_MS);
    }
  }

  async #forge(eventId: string, chance: RandomStream): Promise<void> {
    const reply = await this.#post(chance, `forged-${eventId}`, { body: eventId, signature: signed('another body') });
    if (!reply) return;
    this.#forgeries += 1;
    if (reply.status > 0 && reply.status < 500 && reply.status !== 401)
      this.#surprises.push(`a wrong signature was answered with ${reply.status}: ${JSON.stringify(reply.body)}`);
  }

  /** Undefined when no server could be reached; status 0 when the connection broke. */
  async #post(chance: RandomStream, eventId: string, { body, signature }: { readonly body: string; readonly signature: string }) {
    const url = this.#options.fleet.pickUrl(chance);
    if (url === undefined) return undefined;
    const headers = { 'x-github-delivery': eventId, 'x-hub-signature-256': signature, 'content-type': 'application/json' };
    try {
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const response = await fetch(`${url}${this.#path}`, { method: 'POST', headers, body, signal });
      return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
    } catch {
      return { status: 0, body: {} };
    }
  }

  /** Waits until all runs of the webhook have ended; the checks report those that never end. */
  async #runsEnded(): Promise<void> {
    const path = `/v1/tasks?labelSelector=${encodeURIComponent(`svc.dev/task-webhook=${WEBHOOK}`)}&limit=1000`;
    await this.#until(async () => {
      const { items } = (await this.#get(path)) as { items?: { status: { phase: string } }[] };
      return items?.every(({ status: { phase } }) => !['Pending', 'Running'].includes(phase)) === true;
    });
  }

  /** Status of an object once it is as expected; after the time limit as it is. */
  async #status(plural: string, name: string, expected: (status: Readonly<Record<string, unknown>>) => boolean) {
    let status: Readonly<Record<string, unknown>> = {};
    await this.#until(async () => {
      status = ((await this.#get(`/v1/${plural}/${name}`))['status'] as typeof status | undefined) ?? status;
      return expected(status);
    });
    return status;
  }

  async #until(reached: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + SETTLE_MAX_MS;
    while (!(await reached()) && Date.now() < deadline) await pause(RETRY_MS);
  }

  /** An empty object when no server answers. */
  async #get(path: string): Promise<Readonly<Record<string, unknown>>> {
    const [url] = this.#options.fleet.urls();
    try {
      const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    } catch {
      return {};
    }
  }
}
