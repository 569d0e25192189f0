// The JSONPath dialect: every form that kubectl users type, and texts that are refused.
import { describe, expect, test } from 'vitest';
import { parsePath, parseTemplate } from './json-path.ts';

const list = {
  items: [
    { metadata: { name: 'a', labels: { 'app.kubernetes.io/name': 'x', tier: 'gold' } }, spec: { retries: 3, ports: [1, 2, 3] } },
    { metadata: { name: 'b', labels: {} }, spec: { retries: 5, ports: [], note: null } },
  ],
};

describe('parseTemplate', () => {
  test.each([
    ['{.items[*].metadata.name}', 'a b'],
    ['.items[*].metadata.name', 'a b'],
    ['{.items[0].metadata.name}', 'a'],
    ['{.items[-1].metadata.name}', 'b'],
    ['{.items[0].spec.ports[1:]}', '2 3'],
    ['{.items[0].spec.ports[0:-1]}', '1 2'],
    ['{.items[0].spec}', '{"retries":3,"ports":[1,2,3]}'],
    ['{.items[1].spec.note}', 'null'],
    ["{.items[0]['metadata']['name']}", 'a'],
    ["{.items[0].metadata['name','labels'].tier}", 'gold'],
    [String.raw`{.items[0].metadata.labels.app\.kubernetes\.io/name}`, 'x'],
    ["{.items[0].metadata.labels['app.kubernetes.io/name']}", 'x'],
    ['{range .items[*]}{.metadata.name}={.spec.retries}{"\\n"}{end}', 'a=3\nb=5\n'],
    ["{range .items[*]}{@.metadata.name}{'\\t'}{end}", 'a\tb\t'],
    ['{range .items[*]}{.metadata.name}:{range .spec.ports[*]}{@},{end};{end}', 'a:1,2,3,;b:;'],
    ['{range .items[*]}{$.items[0].metadata.name}{end}', 'aa'],
    ['{.items[?(@.metadata.name=="b")].spec.retries}', '5'],
    ['{.items[?(@.spec.retries > 4)].metadata.name}', 'b'],
    ['{.items[?(@.spec.retries <= 3)].metadata.name}', 'a'],
    ['{.items[?(@.metadata.labels.tier)].metadata.name}', 'a'],
    ["{.items[?(@.metadata.name != 'a')].metadata.name}", 'b'],
    ['{..name}', 'a b'],
    ['{.items..retries}', '3 5'],
    ['{$.items[*].metadata.name}', 'a b'],
    ['{.items[0].metadata.labels.*}', 'x gold'],
    ['names: {.items[*].metadata.name}\\n', 'names: a b\n'],
    ['{.absent.deep[3].x}', ''],
    ['{.constructor}{.__proto__}{.items.length}', ''],
  ])('%s gives %j', (template, text) => {
    expect(parseTemplate(template)(list)).toBe(text);
  });

  test.each([
    ['', /is empty/],
    ['{.a', /without its "}"/],
    ['{range .a[*]}x', /without \{end\}/],
    ['{end}', /without its range/],
    ['{.a[}', /not understood at "\[/],
    ['{.a[?(x==1)]}', /is not a filter/],
    ['{.a b}', /not understood/],
    [`{.${'a'.repeat(5_000)}}`, /is too long/],
    ['{range .a}'.repeat(9), /more than 8 ranges/],
    ['{.a[?(@.b==process.exit())]}', /is not a filter|not understood/],
  ])('refuses %j', (template, message) => {
    expect(() => parseTemplate(template)).toThrow(message);
  });

  test('refuses a long text of open brackets in bounded time', () => {
    expect(() => parseTemplate(`{.a${'["'.repeat(1_000)}}`)).toThrow(/JSONPath/);
    expect(() => parseTemplate(`{.a[?(@.b==${'"x"'.repeat(1_000)})]}`)).toThrow(/JSONPath/);
  });

  test('prints the whole value at "{.}"', () => {
    expect(parseTemplate('{.}')({ a: 1 })).toBe('{"a":1}');
    expect(parseTemplate('{@}')('x')).toBe('x');
  });
});

test('parsePath takes a path with and without braces', () => {
  for (const text of ['.metadata.name', 'metadata.name', '{.metadata.name}', '{ $.metadata.name }'])
    expect(parsePath(text)({ metadata: { name: 'n' } })).toEqual(['n']);
});

test('a path descends into a list of any length', () => {
  const items = Array.from({ length: 200_000 }, (_each, n) => ({ name: n }));
  expect(parsePath('..name')({ items }).slice(-1)).toEqual([199_999]);
});
