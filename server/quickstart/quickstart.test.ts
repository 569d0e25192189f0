// First run of a newcomer as a whole: its output, its repetition, and its end on a signal.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { searchFacts, startFactServer } from './fact-server.ts';
import { runQuickstart, type QuickstartOptions } from './quickstart.ts';

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

async function setup(overrides: Partial<QuickstartOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'quickstart-test-'));
  directories.push(dataDir);
  const controller = new AbortController();
  let printed = '';
  let onPrint = () => undefined as void;
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      printed += chunk.toString();
      onPrint();
      done();
    },
  });
  const options: QuickstartOptions = {
    port: 0,
    dataDir,
    once: true,
    stdout,
    stderr: stdout,
    env: {},
    signal: controller.signal,
    ...overrides,
  };
  return {
    run: () => runQuickstart(options),
    interrupt: () => controller.abort(),
    takePrinted: () => {
      const text = printed;
      printed = '';
      return text;
    },
    prints: (text: string) =>
      new Promise<void>((resolve) => {
        onPrint = () => void (printed.includes(text) && resolve());
        onPrint();
      }),
  };
}

describe('quickstart', () => {
  it('shows every kind of step, the durations and the output, in plain text when nobody is at a terminal', async () => {
    const { run, takePrinted } = await setup();
    expect(await run()).toBe(0);
    const text = takePrinted();
    for (const step of [
      /planner +▸ agent starts/,
      /research +◇ model call/,
      /research +⚙ tool call +\d+ ms {2}fact-search /,
      /planner +→ hand-over +planner → research/,
      /writer +✓ agent done +\d+ ms {2}\S/,
    ]) {
      expect(text).toMatch(step);
    }
    expect(text).toMatch(/✓ Succeeded in .* tokens/);
    expect(text).toContain('about twelve hours and twenty-five minutes apart');
    expect(text).not.toContain('\u001b');
  });

  it('runs again on the same data', async () => {
    const { run, takePrinted } = await setup();
    await run();
    takePrinted();
    expect(await run()).toBe(0);
    expect(takePrinted()).toContain('✓ Succeeded');
  });

  it('stays up with a server that answers until it is interrupted', async () => {
    const { run, prints, interrupt, takePrinted } = await setup({ once: false });
    const done = run();
    await prints('stays up until Ctrl-C');
    const [, address = ''] = /^ *API +(\S+)$/m.exec(takePrinted()) ?? [];
    expect(await (await fetch(address)).json()).toMatchObject({ kind: 'Task', status: { phase: 'Succeeded' } });
    interrupt();
    expect(await done).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });

  it('reports a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { run } = await setup({ port });
    await expect(run()).rejects.toThrow(String(port));
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('fact search', () => {
  it('answers with the facts that share the most words, and none for an unknown topic', () => {
    expect(searchFacts('why two high tides a day')[0]?.fact).toContain('two high tides a day');
    expect(searchFacts('quantum chromodynamics')).toEqual([]);
  });

  it('refuses a path that is not a query', async () => {
    const server = await startFactServer();
    const post = async (body: string) => (await fetch(server.url, { method: 'POST', body })).status;
    expect([await post('{"query":"tides"}'), await post('nonsense'), await post('{"query":3}'), await post('x'.repeat(70_000))]).toEqual([
      200, 400, 400, 413,
    ]);
    expect((await fetch(server.url)).status).toBe(404);
    await server.stop();
  });
});
