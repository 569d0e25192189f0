// Answers of a fake model in the wire form of chat completions, the odd ones included, for tests that look at runs from outside.
import { json, text, type Answer } from './loopback-server.ts';

interface WireCall {
  readonly id: string;
  readonly name: string;
  /** Text as the model wrote it; anything else is written as JSON. */
  readonly input: unknown;
}

export interface WireAnswer {
  readonly content?: string | null;
  readonly calls?: readonly WireCall[];
  readonly finish?: string;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5 };

export function answers({ content = null, calls = [], finish }: WireAnswer): Answer {
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) };
  const finish_reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return json({ object: 'chat.completion', model: 'fake', choices: [{ index: 0, finish_reason, message }], usage: USAGE });
}

export const says = (content: string, finish?: string): Answer => answers({ content, ...(finish !== undefined && { finish }) });

export const asks = (...calls: readonly (readonly [name: string, input: unknown, id: string])[]): Answer =>
  answers({ calls: calls.map(([name, input, id]) => ({ name, input, id })) });

/** Streams these chunks as events, one tool-call fragment or text each. */
export const streams = (...deltas: readonly object[]): Answer => {
  const chunks = deltas.map((delta) => ({ object: 'chat.completion.chunk', model: 'fake', choices: [{ index: 0, delta }] }));
  const end = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE };
  const events = [...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return text(`${events.join('')}data: [DONE]\n\n`, 200, { 'content-type': 'text/event-stream' });
};

/** One answer for each request, in any conversation; the last one repeats. */
export function inTurn(...given: readonly Answer[]): Answer {
  let asked = 0;
  return (response, request) => {
    const answer = given[Math.min(asked, given.length - 1)];
    asked += 1;
    answer?.(response, request);
  };
}

/** Requests held open: `arrived` when one has come, `closed` when its caller has gone away. */
export function holds() {
  let arrive: () => void = () => undefined;
  let close: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const closed = new Promise<void>((resolve) => (close = resolve));
  const answer: Answer = (response) => {
    response.on('close', close);
    arrive();
  };
  return { answer, arrived, closed };
}
