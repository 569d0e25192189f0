// Model server whose output a test controls piece by piece: streamed chat completions on loopback.
import type { ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server.ts';

export interface SpeakingModel {
  /** The `spec` of a ModelEndpoint for it. */
  readonly spec: object;
  /** Resolves once a call is waiting for words. */
  readonly called: () => Promise<void>;
  /** Sends a piece of text to every call in flight. */
  readonly say: (text: string) => void;
  /** Ends every call in flight. */
  readonly finish: () => void;
  readonly close: () => Promise<void>;
}

export async function startSpeakingModel(): Promise<SpeakingModel> {
  const open = new Set<ServerResponse>();
  /** Calls that nobody has awaited. */
  const fresh = new Set<ServerResponse>();
  let waiting: (() => void)[] = [];
  const server = await startLoopbackServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.on('close', () => open.delete(response) && fresh.delete(response));
    open.add(response);
    fresh.add(response);
    waiting.splice(0).forEach((resolve) => resolve());
  });
  const send = (data: object) => {
    for (const response of open) response.write(`data: ${JSON.stringify(data)}\n\n`);
  };
  return {
    spec: { provider: 'gateway-a-compatible', base_url: `${server.url}/v1`, default_model: 'speaker', allowPrivate: true },
    // A call is awaited once: one that an earlier test left open is not the next one.
    async called() {
      if (fresh.size === 0) await new Promise<void>((resolve) => (waiting = [...waiting, resolve]));
      fresh.clear();
    },
    say: (content) => send({ model: 'speaker', choices: [{ index: 0, delta: { content } }] }),
    finish() {
      send({
        model: 'speaker',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 3 },
      });
      for (const response of open) response.end('data: [DONE]\n\n');
      open.clear();
    },
    close: () => server.close(),
  };
}
