import { expect, test } from 'vitest';
import { containerOptions, type ContainerContext, type ContainerRequest } from './container-options.ts';

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
