import { describe, expect, test } from 'vitest';
import type { IsolatedRun } from '../isolation.ts';
import { labelValue, manifestsOf } from './manifests.ts';

const context = { name: 'svc-1', owner: 'worker/1', process: 'boot/1/2/3', now: 1_000_000, jobTtlMs: 300_000, diskMaxBytes: 1_048_576 };
const run: IsolatedRun = {
  mode: 'kubernetes',
  image: 'i:1',
  env: {},
  envBase: 'exact',
  signal: new AbortController().signal,
  what: 'Tool "t/x"',
  deadline: 1_002_500,
  outputMaxBytes: 1,
  floodMaxBytes: 1,
  owner: { requestId: 'r:1', taskId: 't/task', tool: 't/x' },
};

describe('a run as a Job', () => {
  test('has the limits of a sandbox, the deadline of the call and its labels', () => {
    const { job, secrets } = manifestsOf({ ...run, command: ['/bin/echo', '$(HOME)', '$5'], workingDir: '/w' }, context);
    const identity = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: { type: 'RuntimeDefault' } };
    const labels = {
      'svc.run': 'svc-1',
      'svc.owner': labelValue('worker/1'),
      'svc.request_id': labelValue('r:1'),
      'svc.mode': 'kubernetes',
    };
    const annotations = {
      'svc.owner': 'worker/1',
      'svc.deadline': '1002500',
      'svc.process': 'boot/1/2/3',
      'svc.request_id': 'r:1',
      'svc.task': 't/task',
      'svc.tool': 't/x',
    };
    const limits = { memory: '128Mi', cpu: '500m' };
    expect(job).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'svc-1', labels, annotations },
      spec: {
        suspend: false,
        backoffLimit: 0,
        completions: 1,
        parallelism: 1,
        activeDeadlineSeconds: 3,
        ttlSecondsAfterFinished: 300,
        template: {
          metadata: { labels, annotations },
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 1,
            securityContext: identity,
            containers: [
              {
                name: 'tool',
                image: 'i:1',
                command: ['/bin/echo'],
                args: ['$$(HOME)', '$$5'],
                workingDir: '/w',
                env: [],
                stdin: false,
                stdinOnce: false,
                tty: false,
                terminationMessagePolicy: 'File',
                resources: {
                  limits: { ...limits, 'ephemeral-storage': '1048576' },
                  requests: { ...limits, 'ephemeral-storage': '0' },
                },
                securityContext: {
                  ...identity,
                  readOnlyRootFilesystem: true,
                  allowPrivilegeEscalation: false,
                  privileged: false,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
    expect(secrets('uid')).toEqual([]);
  });

  test('with Secrets it waits for them, and they go with it', () => {
    const { job, secrets } = manifestsOf({ ...run, env: { TOKEN: 'v', 'odd name': 'w' } }, context);
    expect(job['spec']).toMatchObject({
      suspend: true,
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'svc-1-env', key: 'v0' } } },
                { name: 'odd name', valueFrom: { secretKeyRef: { name: 'svc-1-env', key: 'v1' } } },
              ],
            },
          ],
        },
      },
    });
    expect(secrets('uid-1')).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'svc-1-env',
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'svc-1', uid: 'uid-1' }],
        }),
        stringData: { v0: 'v', v1: 'w' },
      }),
    ]);
    expect(JSON.stringify(job)).not.toContain('"v"');
  });

  test('have no entry for files without a limit of files', () => {
    const { job } = manifestsOf(run, { ...context, diskMaxBytes: 0 });
    expect(JSON.stringify(job)).not.toContain('ephemeral-storage');
  });

  test('the time that is left is a second at least', () => {
    expect(manifestsOf({ ...run, deadline: 0 }, context).job['spec']).toMatchObject({ activeDeadlineSeconds: 1 });
  });
});

describe('a label', () => {
  test.each(['abc', 'run-1.step_2', ''])('is the text itself: %j', (text) => {
    expect(labelValue(text)).toBe(text);
  });

  test.each(['run/1', 'ä', '-x-', 'a'.repeat(64), '/'.repeat(100), `${'a'.repeat(51)}..${'b'.repeat(40)}`])(
    'is legal and unlike others: %j',
    (text) => {
      expect(labelValue(text)).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
      expect(labelValue(text)).not.toBe(labelValue(`${text}?`));
    },
  );
});
