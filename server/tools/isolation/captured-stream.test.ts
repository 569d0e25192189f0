import { expect, test } from 'vitest';
import { CapturedStream } from './captured-stream.ts';

function captured(chunks: readonly string[], limits: { outputMaxBytes: number; floodMaxBytes?: number }) {
  let floods = 0;
  const stream = new CapturedStream({ floodMaxBytes: 100, ...limits, onFlood: () => (floods += 1) });
  for (const chunk of chunks) stream.push(Buffer.from(chunk, 'latin1'));
  return { text: stream.text(), truncated: stream.truncated, floods };
}
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

test.each([
  [[], { outputMaxBytes: 4 }, { text: '', truncated: false, floods: 0 }],
  [['ab', 'cd'], { outputMaxBytes: 4 }, { text: 'abcd', truncated: false, floods: 0 }],
  [['ab', 'cde', 'f'], { outputMaxBytes: 4 }, { text: 'abcd', truncated: true, floods: 0 }],
  [['a'.repeat(60), 'b'.repeat(60), 'c'], { outputMaxBytes: 1 }, { text: 'a', truncated: true, floods: 1 }],
  [[bytes('aé').slice(0, 2), bytes('aé').slice(2)], { outputMaxBytes: 9 }, { text: 'aé', truncated: false, floods: 0 }],
  [[bytes('aé!')], { outputMaxBytes: 2 }, { text: 'a', truncated: true, floods: 0 }],
  [['\xff'], { outputMaxBytes: 9 }, { text: '�', truncated: false, floods: 0 }],
])('%j kept with %j', (chunks, limits, expected) => {
  expect(captured(chunks, limits)).toEqual(expected);
});
