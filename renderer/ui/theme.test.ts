// Every pair of text and background in the kit has enough contrast, in each theme.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8');

type Tokens = Readonly<Record<string, string>>;

function block(selector: string): Tokens {
  const start = css.indexOf(`${selector} {`);
  const body = css.slice(start, css.indexOf('\n}', start));
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1] ?? '', match[2] ?? '']));
}

const light = block("html[data-theme='light']");
const dark = block("html[data-theme='dark']");
const themes: Record<string, Tokens> = {
  light,
  dark,
  'light, high contrast': { ...light, ...block("html[data-theme='light'][data-contrast='high']") },
  'dark, high contrast': { ...dark, ...block("html[data-theme='dark'][data-contrast='high']") },
};

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ['bg', 'surface', 'raised', 'sunken', 'hover', 'selected'];
const TONES = ['ok', 'warn', 'danger', 'info', 'running', 'waiting', 'neutral'];
const TEXT_PAIRS: [string, string][] = [
  ...['text', 'muted', 'faint', 'accent-text', ...TONES].flatMap((text) => SURFACES.map((on): [string, string] => [text, on])),
  ...TONES.map((tone): [string, string] => [tone, `${tone}-soft`]),
  ...TONES.flatMap((tone): [string, string][] => [
    ['text', `${tone}-soft`],
    ['muted', `${tone}-soft`],
  ]),
  ['accent-text', 'accent-soft'],
  ['text', 'accent-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-danger', 'danger-solid'],
  ['on-danger', 'danger-solid-hover'],
  ['on-tooltip', 'tooltip'],
  ['on-mark', 'mark'],
];
const SHAPE_PAIRS: [string, string][] = SURFACES.flatMap((on): [string, string][] => [
  ['border-strong', on],
  ['focus', on],
]);

describe.each(Object.entries(themes))('the %s theme', (name, tokens) => {
  const needed = name.includes('high') ? 7 : 4.5;
  test(`has at least ${needed}:1 between each text and its background`, () => {
    const weak = TEXT_PAIRS.map(([text, on]) => ({ text, on, ratio: contrast(tokens[text] ?? '#000000', tokens[on] ?? '#000000') }));
    expect(weak.filter(({ ratio }) => ratio < needed).map(({ text, on, ratio }) => `${text} on ${on}: ${ratio.toFixed(2)}`)).toEqual([]);
  });
  test('has at least 3:1 between control outlines or focus rings and their background', () => {
    const weak = SHAPE_PAIRS.filter(([shape, on]) => contrast(tokens[shape] ?? '#000000', tokens[on] ?? '#000000') < 3);
    expect(weak).toEqual([]);
  });
});
