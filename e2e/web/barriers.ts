// Accessibility of a screen: what axe finds, in both themes.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunOptions } from 'axe-core';
import { settled, violationsIn } from '../axe.ts';

interface Inspection {
  /** Pictures are taken under this name in both themes, except in CI, where nobody looks at them. */
  readonly picture?: string;
  /** Widths of the pictures in px, instead of the width of the window. The last one stays. */
  readonly widths?: readonly number[];
  /** CSS selector of the part to check, instead of the whole page. */
  readonly include?: string;
  /** CSS selector of a part to leave out. */
  readonly exclude?: string;
  /** Rules of axe to leave out. */
  readonly without?: readonly string[];
  /** Rejects findings of every impact, instead of serious and critical ones. */
  readonly strict?: boolean;
}

/** Findings of axe, one line each. */
async function findings(page: Page, { include, exclude, strict = false }: Inspection, options: RunOptions): Promise<string[]> {
  return (await violationsIn(page, { include, exclude }, options))
    .filter(({ impact }) => strict || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary ?? ''}`));
}

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** Names of the pictures that the docs show: those of this file are `<spec>-<picture>-<theme>`. */
function documented(): ReadonlySet<string> {
  const pages = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  const names = pages.flatMap((page) => [...readFileSync(join(DOCS, page), 'utf8').matchAll(/screenshots\/([\w-]+)\.png/g)]);
  return new Set(names.map(([, name = '']) => name));
}

/** Set by `npm run screenshots`, which takes the pictures of the docs again. */
const wanted = process.env['SVC_SCREENSHOTS'] === undefined ? undefined : documented();
const DOCUMENTED_WIDTH = 1440;

async function takeForDocs(page: Page, picture: string, theme: string): Promise<void> {
  const name = `${basename(test.info().file, '.spec.ts')}-${picture}-${theme}`;
  if (wanted?.has(name) && page.viewportSize()?.width === DOCUMENTED_WIDTH)
    await page.screenshot({ path: join(DOCS, 'screenshots', `${name}.png`) });
}

/**
 * Waits for the screen: its code has arrived, and no placeholder is left. Before that axe finds nothing, or what belongs to half a page.
 */
export async function expectLoaded(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor({ state: 'attached' });
  await expect(page.locator('[aria-busy="true"], .animate-shimmer')).toHaveCount(0);
}

async function show(page: Page, theme: 'light' | 'dark', { picture, widths }: Inspection): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  for (const width of widths ?? [undefined]) {
    if (width !== undefined) await page.setViewportSize({ width, height: page.viewportSize()?.height ?? 900 });
    if (picture === undefined || process.env['CI']) continue;
    await settled(page);
    await takeForDocs(page, picture, theme);
    const name = [picture, theme, ...(width === undefined ? [] : [width])].join('-');
    await page.screenshot({ path: test.info().outputPath(`${name}.png`) });
  }
}

/** Fails on findings of axe in the light theme, and on those that depend on the theme in the dark. The dark theme stays. */
export async function expectNoBarriers(page: Page, inspection: Inspection = {}): Promise<void> {
  await expectLoaded(page);
  await show(page, 'light', inspection);
  const disabled = (inspection.without ?? []).map((id): [string, { enabled: false }] => [id, { enabled: false }]);
  // Limits the report to violations.
  const options = { resultTypes: ['violations' as const], rules: Object.fromEntries(disabled) };
  expect(await findings(page, inspection, options)).toEqual([]);
  await show(page, 'dark', inspection);
  const runOnly = { type: 'rule' as const, values: ['color-contrast'] };
  expect(await findings(page, inspection, { ...options, runOnly })).toEqual([]);
}
