import { expect, test } from 'vitest';
import type { ContainerInspectInfo } from 'dockerode';
import { containerOptions, type ContainerContext, type ContainerRequest } from './container-options.ts';
import { factsOf, requireRequestedLimits } from './facts.ts';

const REQUEST: ContainerRequest = {
  mode: 'sandboxed',
  command: ['tool', 'go'],
  env: { A: 'b' },
  envBase: 'exact',
  deadline: 0,
  what: 'Tool "t/x"',
  hasInput: false,
  labels: {},
};

function optionsOf(podman: boolean, env: string | undefined) {
  const context: ContainerContext = {
    image: { id: 'sha256:0', variables: ['LANG'], path: undefined, volumes: [] },
    launch: { program: '/bin/tool', env },
    podman,
    owner: 'w',
    process: undefined,
    defaultNetwork: 'none',
    limits: { diskBytes: 1, memoryBytes: 1, cpuCores: 1 },
  };
  const { Env, Entrypoint, Cmd } = containerOptions(REQUEST, context);
  return { Env, line: [Entrypoint, Cmd].flat() };
}

test('a name without a value takes a variable of the image away', () => {
  expect(optionsOf(false, '/bin/env')).toEqual({
    Env: ['A=b', 'HOSTNAME', 'TERM', 'container', 'LANG', 'PATH'],
    line: ['/bin/env', '-u', 'HOME', '/bin/tool', 'go'],
  });
});

test('Podman, which would take the value from its own environment, gets no name without a value', () => {
  const Env = ['A=b', 'HOSTNAME=', 'TERM=', 'container=', 'LANG=', 'PATH='];
  const unset = ['HOME', 'HOSTNAME', 'TERM', 'container', 'LANG', 'PATH'].flatMap((name) => ['-u', name]);
  expect(optionsOf(true, '/bin/env')).toEqual({ Env, line: ['/bin/env', ...unset, '/bin/tool', 'go'] });
  expect(optionsOf(true, undefined)).toEqual({ Env, line: ['/bin/tool', 'go'] });
});

test('an engine that ignores the limits of resources is refused with what a rootless one needs', () => {
  const ignored = { Id: 'c', Config: { User: '' }, HostConfig: { Memory: 0 }, Mounts: [] } as unknown as ContainerInspectInfo;
  const facts = factsOf(ignored, { mode: 'sandboxed', image: 'i', digest: 'd' });
  const limits = { diskBytes: 1, memoryBytes: 1, cpuCores: 1 };
  expect(() => requireRequestedLimits(facts, { what: 'Tool "t/x"', limits })).toThrow(
    /does not enforce .*memory_bytes, cpu_cores, pids_limit.* of sandboxed; a rootless engine needs cgroups of version 2/,
  );
});
