import { expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { CallError } from '../../engine/ports.ts';
import { fakeIsolation } from '../../testing/fake-isolation.ts';
import type { Logger } from '../../log/log.ts';
import { IsolationHealth } from './isolation-health.ts';

function setup(containersRequired = false) {
  const lines: string[] = [];
  const write = (level: string) => (_fields: unknown, message: string) => void lines.push(`${level}: ${message}`);
  const log = { info: write('info'), error: write('error') } as unknown as Logger;
  const { isolation } = fakeIsolation();
  let problem: Error | undefined;
  let answers = 'Docker 27.1 at /var/run/docker.sock';
  const [engine] = isolation.engines;
  const engines = engine ? [{ ...engine, check: () => (problem ? Promise.reject(problem) : Promise.resolve(answers)) }] : [];
  const health = new IsolationHealth({ isolation: { ...isolation, engines }, clock: systemClock, log, containersRequired });
  return { health, lines, fail: (error: Error | undefined) => (problem = error), answer: (engine: string) => (answers = engine) };
}

const NO_KUBERNETES = {
  backend: 'kubernetes',
  modes: ['kubernetes'],
  available: false,
  message: 'this worker runs without --enable-kubernetes-isolation',
};
const gone = new CallError('isolation_unavailable', 'no engine', { retryable: true });

test('the state of each backend is reported, and its changes are logged', async () => {
  const { health, lines, fail, answer } = setup();
  expect(health.states()).toEqual([]);
  await health.runOnce();
  const docker = { backend: 'docker', modes: ['container', 'sandboxed'] };
  expect(health.states()).toEqual([{ ...docker, available: true, engine: 'Docker 27.1 at /var/run/docker.sock' }, NO_KUBERNETES]);
  fail(gone);
  await health.runOnce();
  await health.runOnce();
  expect(health.states()).toEqual([{ ...docker, available: false, message: 'no engine' }, NO_KUBERNETES]);
  fail(undefined);
  await health.runOnce();
  answer('Podman 4.9.3 at /run/podman/podman.sock');
  await health.runOnce();
  expect(health.states()[0]).toMatchObject({ engine: 'Podman 4.9.3 at /run/podman/podman.sock' });
  expect(lines).toEqual([
    'info: tools can be isolated',
    'error: tools of these isolation modes cannot run: no engine',
    'info: tools can be isolated',
    'info: tools can be isolated',
  ]);
});

test.each([
  [false, 'info'],
  [true, 'error'],
])('at the start an engine that is not there is news, or an error where it is demanded (%s)', async (required, level) => {
  const { health, lines, fail } = setup(required);
  fail(new Error('secret details of a defect'));
  await health.runOnce();
  expect(lines).toEqual([`${level}: tools of these isolation modes cannot run: its engine could not be reached`]);
});

test('stops when it was never started, and twice', async () => {
  const { health } = setup();
  await health.stop();
  health.start();
  await health.stop();
});
