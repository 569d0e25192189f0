// Memory that calls of WebAssembly modules share: the reservation of the process, its order and its release.
import { afterAll, describe, expect, test } from 'vitest';
import { buildModule, op } from '../../testing/wasm-builder.ts';
import { compileModule } from './compile-module.ts';
import { createSandboxPool, type SandboxJob } from './sandbox-pool.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;

async function jobOf(memoryMaxBytes: number, code: readonly number[][]): Promise<SandboxJob> {
  const module = await compileModule(buildModule({ memory: { minimum: 1 }, functions: [{ name: '_start', code: [...code] }] }));
  return {
    module,
    memoryMaxBytes,
    entrypoint: '_start',
    functions: [],
    stdin: Buffer.alloc(0),
    env: [],
    outputMaxBytes: MIB,
    stderrMaxBytes: MIB,
  };
}

describe('the memory of all calls together', () => {
  const pool = createSandboxPool(100 * MIB);
  afterAll(() => pool.close());

  test('holds a call back until earlier ones have released enough', async () => {
    const busy = new AbortController();
    const endless = pool.run(await jobOf(60 * MIB, [op.loop(op.branch(0))]), busy.signal).catch(() => 'aborted');
    const ended: string[] = [];
    const large = pool.run(await jobOf(60 * MIB, []), never).then(() => ended.push('large'));
    const small = pool.run(await jobOf(10 * MIB, []), never).then(() => ended.push('small'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(ended).toEqual([]);
    busy.abort(new Error('enough'));
    await Promise.all([endless, large, small]);
    expect(ended.sort()).toEqual(['large', 'small']);
  });

  test('goes to the next call when the one in front gives up', async () => {
    const [busy, patience] = [new AbortController(), new AbortController()];
    const endless = pool.run(await jobOf(60 * MIB, [op.loop(op.branch(0))]), busy.signal).catch(() => 'aborted');
    const large = pool.run(await jobOf(60 * MIB, []), patience.signal).catch(() => 'gave up');
    const small = pool.run(await jobOf(10 * MIB, []), never);
    patience.abort(new Error('too long'));
    expect(await large).toBe('gave up');
    expect(await small).toMatchObject({ ending: 'returned' });
    busy.abort(new Error('enough'));
    await endless;
  });
});
