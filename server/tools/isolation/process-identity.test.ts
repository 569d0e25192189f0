import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { expect, test } from 'vitest';
import { identityOf, isGone } from './process-identity.ts';

test.skipIf(process.platform !== 'linux')('a process counts as ended even when its pid is reused', async () => {
  const child = spawn('sleep', ['60']);
  const identity = identityOf(child.pid ?? 0) ?? '';
  expect(identity).toMatch(/^[0-9a-f-]{36}\/\d+\/\d+\/\d+$/);
  expect(isGone(identity)).toBe(false);
  expect(isGone(identity.replace(/\d+$/, '1'))).toBe(true);
  child.kill();
  await once(child, 'exit');
  expect(isGone(identity)).toBe(true);
  expect(isGone(identityOf(process.pid) ?? '')).toBe(false);
});

test('a process that /proc hides from this user does not count as ended', ({ skip }) => {
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) skip('this machine or user has no mounts of its own');
  const directory = mkdtempSync(join(tmpdir(), 'svc-identity-'));
  try {
    const source = readFileSync(join(import.meta.dirname, 'process-identity.ts'), 'utf8');
    const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
    const program = join(directory, 'identity.mjs');
    writeFileSync(program, `${transpileModule(source, { compilerOptions }).outputText}\nconsole.log(isGone(process.argv[2]));\n`);
    const isGoneElsewhere = (identity: string) => {
      const hidden =
        'chmod 755 "$1" && mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$2" "$3" "$4"';
      const args = ['--mount', 'sh', '-c', hidden, 'sh', directory, process.execPath, program, identity];
      const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
      return stdout.trim() || stderr;
    };
    const identity = identityOf(process.pid) ?? '';
    expect(isGoneElsewhere(identity)).toBe('false');
    expect(isGoneElsewhere(identity.replace(/\/\d+\/(\d+)$/, '/99999999/$1'))).toBe('true');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test.each(['', 'x', 'another-boot/1/1/1', `${'0'.repeat(36)}/1/99999999/1`])(
  'does not report an unknown identity as ended: %j',
  (identity) => {
    expect(isGone(identity)).toBe(false);
  },
);
