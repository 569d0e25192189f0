// Answers cut at every byte: into chunks, which must make no difference, and short, which must never pass for an answer.
import { expect, test } from 'vitest';
import type { Egress } from '../egress/egress.ts';
import { CallError, type ModelPort, type ModelResponse } from '../engine/ports.ts';
import { ask, modelDeps } from '../testing/model-calls.ts';
import { MODEL_DIALECTS, type ModelDialect, type ModelAnswer } from '../testing/model-dialects.ts';
import { createModelPort } from './create-model-port.ts';

const SAID: ModelAnswer = {
  text: ['ä', '🌊!'],
  calls: [
    { name: 'look', arguments: '{"q":"é"}' },
    { name: 'find', arguments: '{"n":[1,2]}' },
  ],
  finish: 'tool_calls',
  usage: { input: 11, output: 7 },
};

/** A port whose servers answer with these chunks. */
function answering(contentType: string) {
  let chunks: readonly Uint8Array[] = [];
  const egress: Egress = {
    send: () =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': contentType },

        body: (async function* () {
          yield* chunks;
        })(),
        discard: () => undefined,
      }),
    close: () => Promise.resolve(),
  };
  const port = createModelPort(modelDeps(egress).deps);
  return { port, answer: (next: readonly Uint8Array[]) => void (chunks = next) };
}

interface StreamedAnswer {
  readonly response: ModelResponse;
  readonly shown: string;
}

async function tell(port: ModelPort, dialect: ModelDialect): Promise<StreamedAnswer> {
  const deltas: string[] = [];
  return { response: await ask(port, { spec: dialect.spec('http://models.example'), deltas }), shown: deltas.join('') };
}

test.each(MODEL_DIALECTS.map((dialect) => [dialect.title, dialect] as const))(
  '%s: where a stream is cut into chunks makes no difference',
  async (_, dialect) => {
    const { port, answer } = answering(dialect.streamType);
    const bytes = Buffer.from(dialect.stream(SAID));
    answer([bytes]);
    const expected = await tell(port, dialect);
    expect([expected.shown, expected.response.toolCalls.length]).toEqual(['ä🌊!', 2]);
    for (let at = 1; at < bytes.length; at += 1) {
      answer([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(await tell(port, dialect)).toEqual(expected);
    }
    answer([...bytes].map((byte) => Buffer.of(byte)));
    expect(await tell(port, dialect)).toEqual(expected);
  },
);

test.each(MODEL_DIALECTS.map((dialect) => [dialect.title, dialect] as const))(
  '%s: what breaks off is malformed, wherever it does, or had said everything',
  async (_, dialect) => {
    for (const [type, body] of [
      [dialect.streamType, dialect.stream(SAID)],
      ['application/json', JSON.stringify(dialect.whole(SAID))],
    ] as const) {
      const { port, answer } = answering(type);
      const bytes = Buffer.from(body);
      answer([bytes]);
      const { content, toolCalls, finishReason } = (await tell(port, dialect)).response;
      for (let end = 0; end < bytes.length; end += 1) {
        answer([bytes.subarray(0, end)]);
        const outcome = await tell(port, dialect).then(
          ({ response }) => response,
          (error: unknown) => error,
        );
        if (outcome instanceof CallError) expect([outcome.code, outcome.retryable]).toEqual(['malformed_response', true]);
        else expect(outcome).toMatchObject({ content, toolCalls, finishReason });
      }
    }
  },
);
