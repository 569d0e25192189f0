// Isolation engine for tests of its callers: records requests and answers as the test sets. Has containers and sandboxes, no Kubernetes.
import { CallError } from '../engine/ports.ts';
import type { ImageRequest, IsolatedResult, IsolatedRun, Isolation, IsolationEngine } from '../tools/isolation/isolation.ts';

export interface FakeIsolation {
  readonly isolation: Isolation;
  readonly prepared: ImageRequest[];
  readonly runs: IsolatedRun[];
  /** Result of the next runs; by default an empty success. */
  next: Partial<IsolatedResult>;
}

export function fakeIsolation(): FakeIsolation {
  const engine: IsolationEngine = {
    name: 'docker',
    check: () => Promise.resolve('Docker at /var/run/docker.sock'),
    prepare(request) {
      fake.prepared.push(request);
      return Promise.resolve();
    },
    run(run) {
      fake.runs.push(run);
      const truncated = { stdout: false, stderr: false };
      const facts = { mode: run.mode, backend: 'docker' as const, exit_code: fake.next.exitCode ?? 0 };
      return Promise.resolve({ stdout: '', stderr: '', truncated, exitCode: 0, oomKilled: false, facts, ...fake.next });
    },
    start: () => undefined,
    stop: () => Promise.resolve(),
  };
  const isolation: Isolation = {
    engines: [engine],
    engineFor(mode, what) {
      if (mode !== 'kubernetes') return engine;
      const message = `${what}: this worker runs without --enable-kubernetes-isolation`;
      throw new CallError('isolation_unavailable', message, { retryable: false, reason: 'not_configured' });
    },
    programsIn(_mode, what) {
      throw new CallError('isolation_unavailable', `${what}: this engine holds no programs`, {
        retryable: false,
        reason: 'not_configured',
      });
    },
  };
  const fake: FakeIsolation = { isolation, prepared: [], runs: [], next: {} };
  return fake;
}
