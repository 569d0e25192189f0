import { expect, test } from 'vitest';
import { shellEnvironment, shellProgram } from './environment.ts';

const target = { serverUrl: 'http://127.0.0.1:8080', namespace: 'team-a', token: undefined, commands: '/tmp/cmd', pathSeparator: ':' };

test('a shell gets no variable of the server beyond the allowlist', () => {
  const own = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    SVC_API_TOKENS: 'x',
    AWS_SECRET_ACCESS_KEY: 'y',
    LD_PRELOAD: '/z',
    NODE_OPTIONS: '-r x',
  };
  expect(shellEnvironment(own, target)).toEqual({
    HOME: '/root',
    LC_ALL: 'C',
    PATH: '/tmp/cmd:/bin',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    SVC_SERVER: 'http://127.0.0.1:8080',
    SVCCTL_SERVER: 'http://127.0.0.1:8080',
    SVC_NAMESPACE: 'team-a',
    SVCCTL_NAMESPACE: 'team-a',
  });
});

test('a shell without a locale gets one of UTF-8', () => {
  expect(shellEnvironment({ LANG: '' }, target)).toMatchObject({ LANG: 'C.UTF-8' });
  expect(shellEnvironment({ LANG: 'de_DE.UTF-8' }, target)).toMatchObject({ LANG: 'de_DE.UTF-8' });
  expect(shellEnvironment({ LC_CTYPE: 'C' }, target)).not.toHaveProperty('LANG');
});

test('a shell is the absolute path of SHELL, else that of the platform', () => {
  expect(shellProgram({ SHELL: '/bin/zsh' }, 'linux')).toBe('/bin/zsh');
  expect(shellProgram({ SHELL: 'zsh' }, 'linux')).toBe('/bin/sh');
  expect(shellProgram({}, 'win32')).toBe('powershell.exe');
});
