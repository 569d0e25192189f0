// Text of answers as readers see it: resets, speakers that take turns, and what is left at the end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Speech, type SpeechEvent } from './speech.ts';

/** Text that a reader shows at the end. */
function shown(events: readonly SpeechEvent[]): string {
  return events.reduce((text, { type, payload }) => (type === 'message.reset' ? '' : text + String(payload['delta'])), '');
}

test('text before a tool call is withdrawn', () => {
  const speech = new Speech();
  const events = [
    ...speech.say('a', 'let me see'),
    ...speech.takeBack('a', 'step'),
    ...speech.say('a', 'done'),
    ...speech.finish('a', 'done'),
  ];
  expect(events.map(({ type, payload }) => [type, payload])).toEqual([
    ['message.delta', { delta: 'let me see' }],
    ['message.reset', { reason: 'step' }],
    ['message.delta', { delta: 'done' }],
  ]);
});

test('a second speaker waits for the first, and a reset separates them', () => {
  const speech = new Speech();
  const events = [
    ...speech.say('a', 'one'),
    ...speech.say('b', 'two'),
    ...speech.say('a', '!'),
    ...speech.finish('a', 'one!'),
    ...speech.finish('b', 'two'),
  ];
  expect(events.map(({ payload }) => payload)).toEqual([{ delta: 'one' }, { delta: '!' }, { reason: 'superseded' }, { delta: 'two' }]);
});

test('an answer that was not streamed is one piece', () => {
  const speech = new Speech();
  expect(speech.finish('a', 'whole')).toEqual([{ type: 'message.delta', payload: { delta: 'whole' } }]);
});

test('an answer that differs from what was streamed replaces it', () => {
  const speech = new Speech();
  const events = [...speech.say('a', 'secret'), ...speech.finish('a', '***')];
  expect(shown(events)).toBe('***');
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('say'), turn: fc.constantFrom('a', 'b', 'c'), text: fc.string({ maxLength: 5 }) }),
  fc.record({
    kind: fc.constantFrom('takeBack', 'finish', 'align'),
    turn: fc.constantFrom('a', 'b', 'c'),
    text: fc.string({ maxLength: 8 }),
  }),
);

test('the text shown to readers equals the text of the speech, and at the end the answer of the run', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.string(), (steps, output) => {
      const speech = new Speech();
      const events: SpeechEvent[] = [];
      for (const { kind, turn, text } of steps) {
        if (kind === 'say') events.push(...speech.say(turn, text));
        else if (kind === 'takeBack') events.push(...speech.takeBack(turn, 'step'));
        else if (kind === 'finish') events.push(...speech.finish(turn, text));
        else events.push(...speech.align(turn, text));
        expect(shown(events)).toBe(speech.said);
      }
      events.push(...speech.settle(output, undefined));
      expect(shown(events)).toBe(output);
      expect(events.filter(({ payload }) => payload['delta'] === '')).toEqual([]);
    }),
  );
});

test('an answer of another agent than the last speaker names its agent', () => {
  const speech = new Speech();
  speech.introduce('t1', 'slow');
  const events = [...speech.finish('t1', 'SLOW'), ...speech.settle('FAST', 'fast')];
  expect(events.map(({ payload }) => payload)).toEqual([
    { delta: 'SLOW', agent: 'slow' },
    { reason: 'superseded' },
    { delta: 'FAST', agent: 'fast' },
  ]);
});

test('a clone changes without the original', () => {
  const speech = new Speech();
  speech.say('a', 'one');
  const copy = speech.clone();
  copy.say('a', ' two');
  expect([speech.said, copy.said]).toEqual(['one', 'one two']);
});

test('the first delta of a text names its agent', () => {
  const speech = new Speech();
  speech.introduce('t1', 'writer');
  const events = [
    ...speech.say('t1', 'Let me'),
    ...speech.say('t1', ' see.'),
    ...speech.takeBack('t1', 'step'),
    ...speech.say('t1', 'Done.'),
  ];
  expect(events.map(({ payload }) => payload)).toEqual([
    { delta: 'Let me', agent: 'writer' },
    { delta: ' see.' },
    { reason: 'step' },
    { delta: 'Done.', agent: 'writer' },
  ]);
});
