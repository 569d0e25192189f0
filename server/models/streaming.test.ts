// Model servers that refuse to stream, over real HTTP: the adapters ask again for a whole answer, and remember it.
import { describe, expect, test } from 'vitest';
import { createEgress } from '../egress/create-egress.ts';
import { json, type Answer } from '../testing/loopback-server.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { ask, failure, modelDeps, startModelServer } from '../testing/model-calls.ts';
import { MODEL_DIALECTS, type ModelAnswer } from '../testing/model-dialects.ts';
import { createModelPort } from './create-model-port.ts';
import { STREAMING_REFUSED } from './streaming.ts';

const SAID: ModelAnswer = { text: ['Once ', 'upon'], calls: [], finish: 'stop', usage: { input: 11, output: 7 } };
const HOUR_MS = 60 * 60_000;
const MINE = MODEL_DIALECTS[0]!;

const wantsStream = (body: string): boolean => (JSON.parse(body) as { stream?: boolean }).stream === true;
const streamsAsked = (seen: readonly { readonly body: string }[]): boolean[] => seen.map(({ body }) => wantsStream(body));

/** Refuses requests for a stream. */
const refusing =
  (refusal: Answer, whole: object): Answer =>
  (response, request) =>
    (wantsStream(request.body) ? refusal : json(whole))(response, request);

const REFUSAL = json({ error: { message: 'Streaming is not supported for this model', type: 'invalid_request_error' } }, 400);

describe.each(MODEL_DIALECTS.map((dialect) => [dialect.title, dialect] as const))('%s', (_title, dialect) => {
  test('reads the answer whole where the server refuses to stream, and remembers it', async () => {
    const { server, port } = await startModelServer(refusing(REFUSAL, dialect.whole(SAID)));
    const spec = dialect.spec(server.url);
    const deltas: string[] = [];
    const first = await ask(port, { spec, deltas });
    expect(first).toMatchObject({ content: 'Once upon', usage: { inputTokens: 11, outputTokens: 7 }, notice: STREAMING_REFUSED });
    expect(deltas.join('')).toBe('Once upon');
    const second = await ask(port, { spec, deltas: [] });
    expect(second.content).toBe('Once upon');
    expect(second).not.toHaveProperty('notice');
    expect(streamsAsked(server.seen)).toEqual([true, false, false]);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['req-1', 'req-1-whole', 'req-1-whole']);
  });
});

test.each([
  ['a message in error', 400, { error: { message: 'stream must be false' } }, true],
  ['a text as error', 422, { error: 'this model does not support streaming' }, true],
  ['the parameter', 400, { error: { message: 'Unsupported value', param: 'stream' } }, true],
  ['a detail', 501, { detail: 'streaming is not implemented' }, true],
  ['another parameter', 400, { error: { message: 'Invalid value for temperature', param: 'temperature' } }, false],
  ['a stream that was found', 400, { error: { message: 'The upstream failed' } }, false],
  ['no access', 403, { error: { message: 'streaming is not allowed for this key' } }, false],
])('a refusal with %s and status %i is recognised: %j %s', async (_what, status, body, recognised) => {
  const { server, port } = await startModelServer(refusing(json(body, status), MINE.whole(SAID)));
  const answer = ask(port, { spec: MINE.spec(server.url), deltas: [] });
  if (recognised) expect((await answer).content).toBe('Once upon');
  else expect((await failure(answer)).reason).toBe(`http_${status}`);
  expect(server.seen).toHaveLength(recognised ? 2 : 1);
});

test('a stream is requested from an endpoint again after an hour', async () => {
  const { server, deps } = await startModelServer(refusing(REFUSAL, MINE.whole(SAID)));
  const clock = createManualClock();
  const port = createModelPort({ ...deps, clock });
  const call = () => ask(port, { spec: MINE.spec(server.url), deltas: [] });
  await call();
  clock.advance(HOUR_MS - 1);
  await call();
  clock.advance(1);
  await call();
  expect(streamsAsked(server.seen)).toEqual([true, false, false, true, false]);
});

test('an endpoint with stream set to true gets the refusal', async () => {
  const { server, port } = await startModelServer(refusing(REFUSAL, MINE.whole(SAID)));
  const spec = MINE.spec(server.url);
  const error = await failure(ask(port, { spec: { ...spec, options: { ...spec.options, stream: 'true' } }, deltas: [] }));
  expect([error.reason, error.attempts, server.seen.length]).toEqual(['http_400', 1, 1]);
});

test('a whole answer that fails too is one failed attempt, and nothing is remembered', async () => {
  const busy = json({ error: { message: 'busy' } }, 503);
  const { server, port } = await startModelServer(REFUSAL, busy, REFUSAL, json(MINE.whole(SAID)));
  const spec = MINE.spec(server.url);
  const error = await failure(ask(port, { spec, deltas: [] }));
  expect([error.reason, error.retryable, error.attempts]).toEqual(['http_503', true, 1]);
  expect((await ask(port, { spec, deltas: [] })).content).toBe('Once upon');
  expect(streamsAsked(server.seen)).toEqual([true, false, true, false]);
});

test('the refusal and the second request share one timeout', async () => {
  const clock = createManualClock();
  const silent: Answer = () => undefined;
  const { server } = await startModelServer((response, request) => {
    if (wantsStream(request.body)) clock.advance(700);
    (wantsStream(request.body) ? REFUSAL : silent)(response, request);
  });
  const egress = createEgress();
  const port = createModelPort({ ...modelDeps(egress).deps, clock });
  const spec = MINE.spec(server.url);
  const answer = failure(ask(port, { spec: { ...spec, options: { ...spec.options, timeout: '1s' } }, deltas: [] }));
  await expect.poll(() => server.seen.length).toBe(2);
  clock.advance(300);
  expect((await answer).code).toBe('timeout');
  await egress.close();
});

test('a server that answers a request for a stream with one JSON body is read at once', async () => {
  const { server, port } = await startModelServer(json(MINE.whole(SAID)));
  const deltas: string[] = [];
  expect((await ask(port, { spec: MINE.spec(server.url), deltas })).content).toBe('Once upon');
  expect([deltas.join(''), server.seen.length]).toEqual(['Once upon', 1]);
});
