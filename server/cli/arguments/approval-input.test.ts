// The text of an input in an editor: any input of an agent that is saved unchanged stays the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '@svc/shared/json';
import { editableText, parseYaml } from './approval-input.ts';

const strange = fc.constantFrom(
  'a\r\nb',
  ' lead',
  'trail \n',
  '\u0000\u001b[2J',
  '\u2028',
  '\ufeff',
  '---',
  '# no',
  'null',
  '0x1F',
  '1e3',
  '\t',
  '~',
  '😀',
  '\u0085',
  '',
);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), strange);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));
const input = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  value,
  { maxKeys: 5 },
);

test('returns the same input when it is unchanged', () => {
  fc.assert(
    fc.property(input, (given) => {
      const sent = JSON.parse(JSON.stringify(given)) as JsonObject;
      fc.pre(!JSON.stringify(sent).includes('__proto__'));
      expect(JSON.stringify(parseYaml(editableText(sent)))).toBe(JSON.stringify(sent));
    }),
    { numRuns: 2000 },
  );
});
