import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainEventLines } from './event-lines.ts';

async function plain(chunks: readonly Uint8Array[]): Promise<{ text: string; events: EventSourceMessage[] }> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  const body = (async function* () {
    yield* chunks;
  })();
  let text = '';
  for await (const bytes of plainEventLines(body)) {
    const piece = decoder.decode(bytes, { stream: true });
    text += piece;
    parser.feed(piece);
  }
  return { text, events };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const each = (text: string) => Array.from(bytes(text), (byte) => Uint8Array.of(byte));
const dataOf = async (chunks: readonly Uint8Array[]) => (await plain(chunks)).events.map(({ data }) => data);

describe.each<[string, (text: string) => Uint8Array[]]>([
  ['in one piece', (text) => [bytes(text)]],
  ['byte by byte', each],
])('%s', (_title, cut) => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR, the last one at the end of the stream', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['mixed line ends', 'data: a\r\n\ndata: b\r\r\ndata: c\n\r', ['a', 'b', 'c']],
    ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['two byte order marks, the second of which makes an unknown field', '\ufeff\ufeffdata: a\n\ndata: b\n\n', ['b']],
    ['comments', ': one\n:\ndata: a\n:two\n\n', ['a']],
    ['data without a colon', 'data\ndata\n\n', ['\n']],
    ['several lines of data', 'data: a\ndata:\ndata:  b\n\n', ['a\n\n b']],
    ['unknown fields', 'foo: 1\ndata: a\ndatax: 2\n data: 3\nretry: soon\nx\n\n', ['a']],
    ['characters of several bytes', 'data: ä€😀\u2028\u0085\n\n', ['ä€😀\u2028\u0085']],
    ['an event without its blank line', 'data: a\n\ndata: b\n', ['a']],
  ])('reads %s', async (_name, text, expected) => {
    expect(await dataOf(cut(text))).toEqual(expected);
  });

  test('keeps names, ids and reconnection times', async () => {
    const { text, events } = await plain(cut('retry: 10\nid: 7\nevent: e\ndata: a\n\n'));
    expect([text, events]).toEqual(['retry: 10\nid: 7\nevent: e\ndata: a\n\n', [{ id: '7', event: 'e', data: 'a' }]]);
  });
});

test('reads the same events wherever a stream is cut', async () => {
  const part = fc.constantFrom('data', 'data: a', 'x', ':', 'id: 1', '\r', '\n', '\r\n', '\ufeff', 'é', ' ');
  const streams = fc.tuple(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(60), { maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(streams, async ([parts, cuts]) => {
      const all = bytes(parts.join(''));
      const places = [0, ...cuts.filter((at) => at < all.length).sort((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.subarray(places[index], end));
      expect(await dataOf(chunks)).toEqual(await dataOf([all]));
    }),
  );
});

test('omits comments and unknown fields', async () => {
  expect((await plain([bytes('x\n'.repeat(10_000)), bytes(`:${'y'.repeat(10_000)}`), bytes('data\n'), bytes('\n')])).text).toBe('\n');
});
