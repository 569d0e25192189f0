import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { decodeUtf8, parseIfJson, parseJson, parseJsonKeys } from './parse.ts';
import { DEPTH_MAX } from './structure.ts';
import { LEXEMES_MAX, parseYamlDocuments } from './yaml.ts';

const parseYaml = (text: string) => parseYamlDocuments(text)[0];

const corpus = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, 'corpora', name), 'utf8'));
const jsonFiles = corpus('jsontestsuite.json').files as Record<string, CorpusFile>;
const yamlCases = corpus('yaml-test-suite.json').cases as Record<string, { yaml: string; fail: boolean }>;

type CorpusFile = string | { base64: string } | { repeat: [string, number]; tail: string };

function bytes(content: CorpusFile): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  if ('base64' in content) return Buffer.from(content.base64, 'base64');
  return Buffer.from(content.repeat[0].repeat(content.repeat[1]) + content.tail);
}

function outcome(work: () => unknown): string {
  try {
    work();
    return 'parsed';
  } catch (error) {
    return error instanceof ServiceError && error.code === 'invalid' ? 'refused' : `threw ${String(error)}`;
  }
}

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('parseJson', () => {
  test('takes 100,000 values and refuses more', () => {
    expect(parseJson(`[${'1,'.repeat(99_000)}1]`)).toHaveLength(99_001);
    expect(() => parseJson(`[${'1,'.repeat(400_000)}1]`)).toThrow('The body holds more than 100000 values; send it in parts');
  });

  test.each([
    ['2,000,000 open brackets', '['.repeat(2_000_000)],
    ['2,000,000 brackets', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['1,000,000 empty lists', `[${'[],'.repeat(1_000_000)}[]]`],
    ['300,000 fields', `{${Array.from({ length: 300_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
  ])('%s are refused before they are parsed', (_what, text) => {
    const began = process.cpuUsage();
    expect(() => parseJson(text)).toThrow(ServiceError);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(500);
  });

  test.each(['{"stringData":{"value":"s3cret"}', '{"value":s3cret}', '{"value":"s3cret"} more', '["s3cret\n"]', 's3cret'])(
    'says what is wrong without quoting the text: %s',
    (text) => {
      expect(messageOf(() => parseJson(text))).toMatch(/^The body is not valid JSON: .+/);
      expect(messageOf(() => parseJson(text))).not.toContain('s3cret');
    },
  );

  for (const [file, content] of Object.entries(jsonFiles)) {
    const expected = file.startsWith('y_') ? 'parsed' : file.startsWith('n_') ? 'refused' : undefined;
    if (expected) test(`${file} is ${expected}`, () => expect(outcome(() => parseJson(decodeUtf8(bytes(content))))).toBe(expected));
    else
      test(`${file} ends one way or the other`, () =>
        expect(outcome(() => parseJson(decodeUtf8(bytes(content))))).toMatch(/^(parsed|refused)$/));
  }

  test('accepts documents up to the depth limit and refuses deeper ones by name', () => {
    const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(outcome(() => parseJson(nest(DEPTH_MAX)))).toBe('parsed');
    expect(messageOf(() => parseJson(nest(DEPTH_MAX + 1)))).toContain(`deeper than ${DEPTH_MAX}`);
    expect(outcome(() => parseJson(nest(200_000)))).toBe('refused');
  });

  test('refuses keys that would reach a prototype and leaves Object alone', () => {
    expect(messageOf(() => parseJson('{"spec":{"__proto__":{"polluted":true}}}'))).toContain('spec must not use the reserved key');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(parseJson('{"constructor":{"prototype":1}}')).toEqual({ constructor: { prototype: 1 } });
  });

  test('refuses what cannot be stored unchanged', () => {
    expect(messageOf(() => parseJson('{"a":{"b":[1e400]}}'))).toContain('a.b[0] is not a finite number');
    expect(messageOf(() => parseJson('{"a":"\\ud800"}'))).toContain('a holds an unpaired surrogate');
    expect(parseJson('{"a":"\\ud83d\\ude00"}')).toEqual({ a: '😀' });
  });
});

/** Invalid by the YAML test suite, yet read: the library does not object, and nothing a person wrote is lost or changed. */
const LENIENT_YAML: Readonly<Record<string, string>> = {
  '9MMA': 'a directive that no document follows; it holds no document, so a request with it is refused all the same',
  SF5V: 'the same %YAML directive twice',
};

describe('parseYamlDocuments', () => {
  for (const [name, { yaml, fail }] of Object.entries(yamlCases)) {
    const result = () => outcome(() => parseYamlDocuments(yaml));
    if (!fail) test(`${name} ends as values or as a refusal`, () => expect(result()).toMatch(/^(parsed|refused)$/));
    else if (name in LENIENT_YAML) test(`${name} is read although invalid: ${LENIENT_YAML[name]}`, () => expect(result()).toBe('parsed'));
    else test(`${name} is refused`, () => expect(result()).toBe('refused'));
  }

  test('reads plain resources by the 1.2 core schema', () => {
    expect(parseYaml('a: yes\nb: 010\nc: 0x1f\nd: 2026-01-01\ne: ~\nf: [1, 2.5, true]\n')).toEqual({
      a: 'yes',
      b: 10,
      c: 31,
      d: '2026-01-01',
      e: null,
      f: [1, 2.5, true],
    });
    expect(parseYaml('%YAML 1.1\n---\na: yes\n')).toEqual({ a: 'yes' });
  });

  test.each([
    ['a repeated key', 'spec:\n  a: 1\n  a: 2\n', 'spec has the key "a" more than once'],
    ['a custom tag', 'a: !Ref x\n', 'Unresolved tag'],
    ['a known tag outside the core schema', 'a: !!binary aGk=\n', 'Unresolved tag'],
    ['infinity', 'a: .inf\n', 'a is not a finite number'],
    ['not a number', 'a: [.nan]\n', 'a[0] is not a finite number'],
    ['a prototype key', 'a:\n  __proto__: {x: 1}\n', 'a must not use the reserved key'],
    ['a key that is a collection', '? [a]\n: 1\n', 'key that is not plain text'],
    ['an unknown anchor', 'a: *b\n', 'b'],
    ['an anchor within itself', 'a: &x [*x]\n', 'x'],
    ['a broken flow', 'a: [1\n', 'line'],
  ])('refuses %s', (_what, text, message) => expect(messageOf(() => parseYaml(text))).toContain(message));

  test('takes many quoted members on one line', () => {
    const members = Array.from({ length: DEPTH_MAX * 2 }, (_, index) => [`k${index}`, `v${index}`] as const);
    expect(parseYaml(JSON.stringify(Object.fromEntries(members)))).toEqual(Object.fromEntries(members));
  });

  // Composing recurses, and a regular expression that is compiled near the end of the stack ends the process: it may not come to that.
  test.each(['- ', 'a: ', '"a": ', "'a': ", '? "a" ', '&a "x": ', '!!str "a": ', '{a,b}: x: ', '[a\n]: x: '])(
    'refuses deep nesting by repeated indicators: %j',
    (unit) => expect(messageOf(() => parseYaml(unit.repeat(DEPTH_MAX * 2)))).toContain(`deeper than ${DEPTH_MAX}`),
  );

  test.each([
    ['brackets behind others that close nothing', '}\n'.repeat(2_000) + '['.repeat(2_000)],
    ['lines each further in', Array.from({ length: 1_400 }, (_, depth) => `${' '.repeat(depth)}-\n`).join('')],
    [
      'lines of indicators each further in',
      Array.from({ length: 40 }, (_, line) => `${' '.repeat(line * 80)}${'- '.repeat(40)}\n`).join(''),
    ],
  ])('refuses %s', (_what, text) => expect(messageOf(() => parseYaml(text))).toContain(`deeper than ${DEPTH_MAX}`));

  test('takes whatever is not nested: many indicators, lines that end as on Windows, brackets one level deep', () => {
    const many = DEPTH_MAX * 3;
    expect(parseYaml('- a: 1\r\n'.repeat(many))).toHaveLength(many);
    expect(parseYaml(`[${'a: b, '.repeat(many)}]`)).toHaveLength(many);
    expect(parseYaml('- { a: [1], b: { c: 2 } }\n'.repeat(many))).toHaveLength(many);
    const nested = (depth: number) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
    expect(outcome(() => parseYaml(`${nested(DEPTH_MAX)}${' '.repeat(DEPTH_MAX)}x\n`))).toBe('parsed');
    expect(outcome(() => parseYaml(`${'- '.repeat(DEPTH_MAX)}x\n`))).toBe('parsed');
    expect(outcome(() => parseYaml(`${'['.repeat(DEPTH_MAX)}"x"${']'.repeat(DEPTH_MAX)}\n`))).toBe('parsed');
  });

  test('expands honest aliases and refuses bombs', () => {
    expect(parseYaml('a: &x {k: 1}\nb: *x\nc: [*x, *x]\n')).toEqual({ a: { k: 1 }, b: { k: 1 }, c: [{ k: 1 }, { k: 1 }] });
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
    expect(messageOf(() => parseYaml(`l0: &l0 lol\n${levels.join('\n')}\n`))).toContain('aliases');
    expect(messageOf(() => parseYaml(`a: &a "${'x'.repeat(100_000)}"\nb: [${Array(100).fill('*a').join(', ')}]\n`))).toContain('aliases');
  });

  test('takes long texts, and refuses too many tokens', () => {
    expect(parseYaml(`a: |\n${'  line of text\n'.repeat(200_000)}b: 1\n`)).toHaveProperty('b', 1);
    expect(messageOf(() => parseYaml('- a\n'.repeat(LEXEMES_MAX / 4)))).toContain(`more than ${LEXEMES_MAX} YAML tokens`);
  });

  test('answers hostile input within a moment', { timeout: 120_000 }, () => {
    const hostile = [
      '['.repeat(100_000),
      '{a: '.repeat(50_000),
      '- '.repeat(50_000),
      '? '.repeat(50_000),
      Array.from({ length: 60_000 }, (_, i) => `k${i}: ${i}`).join('\n'),
      `{${Array.from({ length: 60_000 }, (_, i) => `k${i}`).join(', ')}}`,
      '"'.repeat(100_001),
      '&a '.repeat(20_000),
      '!!str '.repeat(20_000),
      '---\n'.repeat(50_000),
      '%FOO x\n'.repeat(20_000),
      ': '.repeat(50_000),
      '*a : '.repeat(20_000),
      `a: |\n${' x\n'.repeat(100_000)}`,
      '#'.repeat(200_000),
      '\t\n'.repeat(50_000),
      '['.repeat(4_000_000),
      '- '.repeat(2_000_000),
      `[${','.repeat(4_000_000)}]`,
      '---\n'.repeat(1_000_000),
      '{a: [b]}: '.repeat(5_000),
      '- "a": '.repeat(20_000),
    ];
    for (const text of hostile) {
      const began = process.cpuUsage();
      expect(outcome(() => parseYamlDocuments(text))).toMatch(/^(parsed|refused)$/);
      const ms = process.cpuUsage(began).user / 1_000;
      expect({ text: text.slice(0, 20), slow: ms > 4_000 }).toEqual({ text: text.slice(0, 20), slow: false });
    }
  });
});

describe('repeated keys of JSON', () => {
  test.each([
    ['{"spec":{"agents":[{"a":1},{"a":1,"b":{"x:":2},"a":3}]}}', ['spec.agents[1].a']],
    ['[{"a":1,"\\u0061":2},[[],{"b":1,"b":1}]]', ['[0].a', '[1][1].b']],
    ['{"a":{"a":{"a":1}},"b":":","c":"\\"a\\":"}', []],
    ['{"spec":{"a":1},"kind":"x","spec":{"b":1}}', ['spec']],
  ])('are named by their paths: %s', (text, repeated) => {
    expect(parseJsonKeys(text).repeated).toEqual(repeated);
  });

  test('a text full of them names the first 20', () => {
    expect(parseJsonKeys(`{${'"a":1,'.repeat(50_000)}"a":1}`).repeated).toHaveLength(20);
  });
});

describe('parseIfJson', () => {
  test('takes JSON, and leaves all other text to YAML', () => {
    expect(parseIfJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, repeated: ['a'] });
    expect(parseIfJson('a: 1\n---\nb: 2\n')).toBeUndefined();
    expect(parseIfJson(`text: |\n  ${'[,'.repeat(200_000)}`)).toBeUndefined();
  });

  test('refuses JSON that is too large', () => {
    expect(() => parseIfJson('['.repeat(2_000_000))).toThrow('nested deeper than 64 levels');
  });
});
