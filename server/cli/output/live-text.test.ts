// Live text on a terminal: paragraphs by call, repeats left out, control characters visible.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { LiveText } from '@svc/shared/api/runs';
import { createLiveTextView } from './live-text.ts';
import { Screen } from './screen.ts';
import { createStyle } from './style.ts';

const call = (agent: string) => ({ request_id: `req-${agent}`, step_id: 'a001.s0001', attempt: 1, step: 1, branch_id: 'b001', agent });

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

it('begins a paragraph for another call, and after a reset', () => {
  const { show, printed } = setup();
  show({ ...call('a'), at: 0, text: 'one' }, { ...call('b'), at: 0, text: 'two\n' }, { ...call('a'), reset: 'taken_back' });
  show({ ...call('a'), at: 0, text: 'again' });
  expect(printed()).toBe('a: one\nb: two\na: the call failed or was stopped; its text is withdrawn\na: again');
});

it('writes control characters of a model out', () => {
  const { show, printed } = setup();
  show({ ...call('a'), at: 0, text: '\u001b[2Jgone\r' });
  expect(printed()).toBe('a: \\u001b[2Jgone\\u000d');
});
