// Output of a shell to the terminal on screen: bytes in a second from the pseudoterminal to the painted last line, and the longest frame meanwhile.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { createWorld } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { budget, floor } from './probe.ts';

const MB = 1_000_000;
const OUTPUT_BYTES = 60 * MB;
const RUNS = 3;

const plain = '2026-01-01T00:00:00.000Z INFO  worker w1 claimed task default/report-0042 in 3 ms, fence 17, attempt 1';
const coloured =
  '\u001b[90m2026-01-01T00:00:00.000Z\u001b[0m \u001b[32mINFO\u001b[0m worker \u001b[1mw1\u001b[0m claimed \u001b[36mdefault/report-0042\u001b[0m';

/** Runs in the page: resolves once the text is on the screen. */
async function untilShown(marker: string): Promise<{ ms: number; longestMs: number }> {
  const began = performance.now();
  let before = began;
  let longestMs = 0;
  while (!document.querySelector('[data-terminal-screen] .xterm-rows')?.textContent?.includes(marker)) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }
  return { ms: performance.now() - began, longestMs };
}

interface Shown {
  readonly rate: number;
  readonly longestMs: number;
}

async function show(page: Page, file: string, run: number): Promise<Shown> {
  // The text of the command differs from its output.
  await page.keyboard.type(`cat ${file}; echo "the end $((${run} + 1000))"`);
  const shown = page.evaluate(untilShown, `the end ${run + 1000}`);
  await page.keyboard.press('Enter');
  const { ms, longestMs } = await shown;
  return { rate: OUTPUT_BYTES / MB / (ms / 1000), longestMs };
}

export async function benchTerminal(browser: Browser): Promise<Row[]> {
  const world = await createWorld({ args: ['--enable-terminal'], env: { SHELL: '/bin/sh' } });
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-terminal-'));
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${world.url}/n/default/agent-roles`);
    await page.getByRole('button', { name: 'Terminals' }).click();
    await page.locator('[data-terminal-screen] .xterm-rows').getByText(/[$#]/).first().waitFor();
    let runs = 0;
    const best = async (name: string, line: string): Promise<Shown> => {
      const file = join(folder, name);
      writeFileSync(file, `${line}\n`.repeat(Math.ceil(OUTPUT_BYTES / (line.length + 1))));
      const shown: Shown[] = [];
      for (let run = 0; run < RUNS; run += 1) shown.push(await show(page, file, (runs += 1)));
      console.error(name, shown.map(({ rate, longestMs }) => `${rate.toFixed(1)} MB/s, ${longestMs.toFixed(0)} ms`).join('; '));
      const rates = shown.map(({ rate }) => rate).sort((a, b) => a - b);
      return { rate: rates[1] ?? 0, longestMs: Math.max(...shown.map((each) => each.longestMs)) };
    };
    const lines = await best('plain', plain);
    const colours = await best('coloured', coloured);
    await page.close();
    return [
      floor('terminal, plain lines to the screen, median of 3', lines.rate, { unit: 'MB/s', limit: 20 }),
      { name: 'terminal, coloured lines to the screen, median of 3', value: colours.rate, unit: 'MB/s' },
      budget('terminal, longest frame meanwhile', Math.max(lines.longestMs, colours.longestMs), { limit: 100 }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await world.dispose();
  }
}
