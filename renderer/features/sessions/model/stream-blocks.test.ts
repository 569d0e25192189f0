// Blocks of streamed Markdown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { streamBlocks } from './stream-blocks.ts';

test('paragraphs are blocks, lists and code are not torn', () => {
  const code = '```js\na();\n\nb();\n```\n\n';
  expect(streamBlocks(`One\n\nTwo\n\n- a\n\n- b\n\n${code}Three`)).toEqual(['One\n\n', 'Two\n\n- a\n\n- b\n\n', code, 'Three']);
});

test('code that is not closed yet stays one block', () => {
  expect(streamBlocks('Text\n\n```\na\n\nb\n\nc')).toEqual(['Text\n\n', '```\na\n\nb\n\nc']);
});

test('the blocks of a text join to the text, and growth changes only the last block', () => {
  const piece = fc.constantFrom('word ', '\n', '\n\n', '```\n', '- item\n', '# Head\n', '> quote\n', '  more\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), piece, (pieces, more) => {
      const text = pieces.join('');
      const before = streamBlocks(text);
      expect(before.join('')).toBe(text);
      // A last line that is not complete may still change its meaning.
      if (!text.endsWith('\n')) return;
      const after = streamBlocks(text + more);
      expect(after.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
    }),
  );
});
