// Live text on a terminal: one paragraph for each call, repeats left out, control characters visible.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { LiveText } from '@svc/shared/api/runs';
import type { TraceEntry } from '../api/trace-entry.ts';
import { createLiveTextView } from './live-text.ts';
import { Screen } from './screen.ts';
import { createStyle } from './style.ts';

const call = (agent: string) => ({ request_id: `req-${agent}`, step_id: 'a001.s0001', attempt: 1, step: 1, branch_id: 'b001', agent });

const ended = (agent: string, output?: string): TraceEntry => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  step_id: 'a001.s0001',
  type: 'model_output',
  branch_id: 'b001',
  agent,
  ...(output !== undefined && { output }),
});

function setup() {
  let printed = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const view = createLiveTextView(new Screen(stream), createStyle(false));
  return { view, show: (...items: LiveText[]) => items.forEach((item) => view.show(item)), printed: () => printed };
}

it('prints the text of a call as one paragraph, and a repeat of it once', () => {
  const { view, show, printed } = setup();
  show({ ...call('a'), at: 0, text: 'Once ' }, { ...call('a'), at: 5, text: 'upon' }, { ...call('a'), at: 0, text: 'Once upon a time' });
  view.endParagraph();
  view.endParagraph();
  expect(printed()).toBe('a: Once upon a time\n');
});

it('prints 1 MiB in small pieces in linear time', () => {
  const { view, show, printed } = setup();
  const began = process.cpuUsage();
  for (let at = 0; at < 1024 * 1024; at += 8) show({ ...call('a'), at, text: '12345678' });
  view.endParagraph();
  expect(printed()).toHaveLength(1024 * 1024 + 'a: \n'.length);
  // Seconds where each piece joins the whole text.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(8_000);
});

it('prints one of two parallel calls as it comes, and the other one whole at its end', () => {
  const { view, show, printed } = setup();
  const [a, b] = [call('a'), call('b')];
  show({ ...a, at: 0, text: 'Once ' }, { ...b, at: 0, text: 'Two ' }, { ...a, at: 5, text: 'upon ' }, { ...b, at: 4, text: 'tides' });
  expect(printed()).toBe('a: Once upon ');
  expect(view.endCall(ended('b', 'Two tides'))).toEqual(ended('b'));
  show({ ...a, at: 10, text: 'a time' });
  expect(view.endCall(ended('a', 'Once upon a time'))).toEqual(ended('a'));
  expect(printed()).toBe('a: Once upon \nb: Two tides\na: a time\n');
});

it('prints the text of a waiting call once the one before it has ended', () => {
  const { view, show, printed } = setup();
  show({ ...call('a'), at: 0, text: 'Once' }, { ...call('b'), at: 0, text: 'Two ' });
  view.endCall(ended('a', 'Once'));
  show({ ...call('b'), at: 4, text: 'tides' });
  expect(printed()).toBe('a: Once\nb: Two tides');
});

it('leaves the output of a call to its step when the text is incomplete', () => {
  const { view, show, printed } = setup();
  show({ ...call('a'), at: 0, text: 'Once' }, { ...call('b'), at: 4, text: 'tides' });
  expect(view.endCall(ended('b', 'Two tides'))).toEqual(ended('b', 'Two tides'));
  expect(printed()).toBe('a: Once\n');
});

it('names a withdrawn text that was printed, and lets another call follow', () => {
  const { show, printed } = setup();
  show({ ...call('a'), at: 0, text: 'one' }, { ...call('b'), reset: 'taken_back' }, { ...call('a'), reset: 'taken_back' });
  show({ ...call('b'), at: 0, text: 'again' });
  expect(printed()).toBe('a: one\na: the call failed or was stopped; its text is withdrawn\nb: again');
});

it('writes control characters of a model out', () => {
  const { show, printed } = setup();
  show({ ...call('a'), at: 0, text: '\u001b[2Jgone\r' });
  expect(printed()).toBe('a: \\u001b[2Jgone\\u000d');
});
