import { describe, expect, test } from 'vitest';
import { cleanDeltas, withoutSecrets } from './redaction.ts';

const TOKEN = 'sk-très-"secret"-token';

/** Output for a text that arrives in these pieces. */
function shown(pieces: readonly string[], secrets: readonly string[] = [TOKEN]): string[] {
  const out: string[] = [];
  const deltas = cleanDeltas((text) => void out.push(text), secrets);
  pieces.forEach((piece) => deltas.push(piece));
  deltas.flush();
  return out;
}

describe('text in pieces', () => {
  test.each([TOKEN, JSON.stringify(TOKEN).slice(1, -1), encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64')])(
    'never shows the token as %s, wherever it is cut',
    (form) => {
      const text = `it is ${form}, ${form}!`;
      for (let a = 0; a <= text.length; a += 1) {
        for (let b = a; b <= text.length; b += 3) {
          expect(shown([text.slice(0, a), text.slice(a, b), text.slice(b)]).join('')).toBe('it is ***, ***!');
        }
      }
      expect(shown([...text]).join('')).toBe('it is ***, ***!');
    },
  );

  test('shows a text that only begins like the token, at the end', () => {
    expect(shown(['sk-tr', 'ain and sk-']).join('')).toBe('sk-train and sk-');
  });

  test('without a token is shown as it comes, in whole characters', () => {
    expect(shown(['a', '', 'b\ud83c', '\udf0a c'], [])).toEqual(['a', 'b', '🌊 c']);
  });
});

test('an answer shows the token in none of its fields', () => {
  const usage = { inputTokens: 1, outputTokens: 1, source: 'provider' } as const;
  const call = { id: TOKEN, name: TOKEN, arguments: JSON.stringify({ t: TOKEN }) };
  const answer = { content: TOKEN, toolCalls: [call], usage, finishReason: TOKEN, model: TOKEN };
  const hidden = { id: '***', name: '***', arguments: '{"t":"***"}' };
  expect(withoutSecrets(answer, [TOKEN])).toEqual({ content: '***', toolCalls: [hidden], usage, finishReason: '***', model: '***' });
  expect(withoutSecrets(answer, ['short'])).toEqual(answer);
});
