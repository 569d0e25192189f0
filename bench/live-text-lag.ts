// Lag of live text: from the moment a model sends a piece to the moment a reader of the run has it.
import { startSpeakingModel } from '../server/testing/speaking-model.ts';
import { percentile, type Row } from './row.ts';
import { post } from './task-load.ts';

const PIECES = 200;
const WARM_UP = 20;
/** Pieces that come faster than this are sent to readers together. */
const PAUSE_MS = 60;

/** The answer so far, after each delta of a run. Ends when `signal` aborts. */
async function* answersOf(url: string, signal: AbortSignal): AsyncGenerator<string, never> {
  const response = await fetch(url, { signal });
  if (!response.body) throw new Error('a trace stream has a body');
  let buffer = '';
  let answer = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split('\n\n');
    buffer = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined || !frame.includes('event: delta')) continue;
      const { at, text } = JSON.parse(data) as { at: number; text: string };
      answer = answer.slice(0, at) + text;
      yield answer;
    }
  }
  throw new Error('the trace stream ended before the model did');
}

async function lagsOf(url: string): Promise<number[]> {
  const model = await startSpeakingModel();
  const abort = new AbortController();
  try {
    await post(`${url}/v1/apply`, [
      { kind: 'ModelEndpoint', metadata: { name: 'speaker' }, spec: model.spec },
      { kind: 'Agent', metadata: { name: 'speaker' }, spec: { model_ref: 'speaker', prompt: 'Speak.' } },
      { kind: 'AgentSystem', metadata: { name: 'speaker' }, spec: { agents: ['speaker'] } },
    ]);
    await post(`${url}/v1/tasks`, { kind: 'Task', metadata: { name: 'live-text' }, spec: { system: 'speaker' } });
    await model.called();
    const answers = answersOf(`${url}/v1/tasks/live-text/trace/stream`, abort.signal);
    const lags: number[] = [];
    for (let n = 0; n < WARM_UP + PIECES; n += 1) {
      const began = performance.now();
      model.say(` ${n} `);
      while (!(await answers.next()).value.endsWith(` ${n} `));
      if (n >= WARM_UP) lags.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    model.finish();
    return lags;
  } finally {
    abort.abort();
    await model.close();
  }
}

/** `path` names the way that the text takes. */
export async function liveTextRows(url: string, path: string): Promise<Row[]> {
  const lags = await lagsOf(url);
  return [50, 99].map((p) => ({
    name: `live text ${path}, p${p}`,
    value: percentile(lags, p),
    unit: 'ms',
    note: 'the model sends a piece → a reader has it',
  }));
}
