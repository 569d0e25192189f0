// Clients that talk with Sessions: each submits its turns under keys of its own, sends them again after failures, and follows the stream.
import type { Fleet } from './fleet.ts';
import { randomStream, type RandomStream } from './random.ts';
import { WatchClient, type SeenEvent } from './watch-client.ts';

export interface SessionTraffic {
  readonly session: string;
  /** Contents that were acknowledged, in the order of their submission. */
  readonly contents: readonly string[];
  /** Events as the client read them. */
  readonly seen: readonly SeenEvent[];
  readonly surprises: readonly string[];
}

export interface SessionClientsOptions {
  readonly seed: number;
  readonly fleet: Fleet;
  readonly sessions: number;
}

const RETRY_MS = 50;
const REQUEST_TIMEOUT_MS = 15_000;
/** Turns of one Session that wait or run at once. */
const AHEAD = 2;
const ENDED: ReadonlySet<unknown> = new Set(['turn.completed', 'turn.failed', 'turn.cancelled']);

export class SessionClients {
  readonly #clients: readonly SessionClient[];
  #goal = 0;

  constructor(options: SessionClientsOptions) {
    this.#clients = Array.from({ length: options.sessions }, (_, index) => new SessionClient(options, `talk-${index + 1}`));
  }

  async begin(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.begin()));
  }

  /** Each Session gets this many turns more; resolves when they have ended. */
  async talk(turns: number): Promise<void> {
    this.#goal += turns;
    await Promise.all(this.#clients.map((client) => client.talkUpTo(this.#goal)));
  }

  async end(): Promise<SessionTraffic[]> {
    return Promise.all(this.#clients.map((client) => client.end()));
  }
}

class SessionClient {
  readonly #session: string;
  readonly #fleet: Fleet;
  readonly #chance: RandomStream;
  readonly #stream: WatchClient;
  readonly #contents: string[] = [];
  #ended = 0;
  #wake: () => void = () => undefined;

  constructor({ seed, fleet }: SessionClientsOptions, session: string) {
    this.#session = session;
    this.#fleet = fleet;
    this.#chance = randomStream(seed, 'talk', session);
    this.#stream = new WatchClient({
      path: `/v1/sessions/${session}/stream`,
      url: () => fleet.pickUrl(this.#chance),
      onItem: ({ data }) => {
        if (!ENDED.has(data['type'])) return;
        this.#ended += 1;
        this.#wake();
      },
    });
  }

  async begin(): Promise<void> {
    const body = { kind: 'Session', metadata: { name: this.#session }, spec: { system: 'talk', input: { purpose: 'faults' } } };
    await this.#send('/v1/apply', body, {});
    this.#stream.start();
  }

  async talkUpTo(goal: number): Promise<void> {
    for (let turn = this.#contents.length + 1; turn <= goal; turn += 1) {
      const content = `message ${turn} of ${this.#session}`;
      await this.#untilEnded(turn - AHEAD);
      await this.#send(`/v1/sessions/${this.#session}/turns`, { content }, { 'idempotency-key': `key-${turn}` });
      this.#contents.push(content);
    }
    await this.#untilEnded(goal);
  }

  async end(): Promise<SessionTraffic> {
    await this.#stream.stop();
    return { session: this.#session, contents: this.#contents, seen: this.#stream.items, surprises: this.#stream.surprises };
  }

  async #untilEnded(count: number): Promise<void> {
    while (this.#ended < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async #send(path: string, body: object, headers: Record<string, string>): Promise<void> {
    for (;;) {
      const url = this.#fleet.pickUrl(this.#chance);
      const status = url === undefined ? 0 : await post(`${url}${path}`, body, headers);
      if (status >= 200 && status < 300) return;
      if (status >= 400 && status < 500) throw new Error(`${path} was answered with ${status}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** The status of the answer; 0 when the connection broke. */
async function post(url: string, body: object, headers: Record<string, string>): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
