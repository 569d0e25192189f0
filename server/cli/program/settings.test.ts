// Which server, namespace and token a command line means.
import { describe, expect, it } from 'vitest';
import type { ProfilesFile } from './profiles.ts';
import { resolveSettings } from './settings.ts';

const FILE: ProfilesFile = {
  current: 'prod',
  profiles: {
    prod: { server: 'https://prod.example.test', namespace: 'team', tokenEnv: 'PROD_TOKEN' },
    dev: { server: 'http://localhost:1' },
  },
};
const NONE: ProfilesFile = { profiles: {} };
const flags = { color: true };

describe('resolveSettings', () => {
  it('falls back to the local server and the default namespace', () => {
    expect(resolveSettings(flags, {}, NONE)).toEqual({ server: 'http://127.0.0.1:8080', namespace: 'default', token: undefined });
  });

  it('takes flags over variables over the current profile', () => {
    const env = { PROD_TOKEN: 'p' };
    expect(resolveSettings(flags, env, FILE)).toEqual({
      server: 'https://prod.example.test',
      namespace: 'team',
      token: { value: 'p', from: 'PROD_TOKEN (profile prod)' },
    });
    expect(resolveSettings(flags, { ...env, SVCCTL_SERVER: 'http://env.test/' }, FILE).server).toBe('http://env.test');
    expect(
      resolveSettings({ ...flags, server: 'http://flag.test', namespace: 'n' }, { SVCCTL_SERVER: 'http://env.test' }, FILE),
    ).toMatchObject({
      server: 'http://flag.test',
      namespace: 'n',
    });
    expect(resolveSettings({ ...flags, profile: 'dev' }, {}, FILE).server).toBe('http://localhost:1');
  });

  it("never sends a profile's token to another server", () => {
    const env = { PROD_TOKEN: 'p', SVC_API_TOKEN: 'general' };
    expect(resolveSettings({ ...flags, server: 'http://other.test' }, env, FILE).token?.value).toBe('general');
    expect(resolveSettings(flags, { ...env, SVCCTL_SERVER: 'http://other.test' }, FILE).token?.value).toBe('general');
    expect(resolveSettings({ ...flags, server: 'http://other.test', profile: 'prod' }, env, FILE).token?.value).toBe('p');
  });

  it('prefers SVCCTL_API_TOKEN, and the flag over both', () => {
    const env = { SVC_API_TOKEN: 'a', SVCCTL_API_TOKEN: 'b' };
    expect(resolveSettings(flags, env, NONE).token).toEqual({ value: 'b', from: 'SVCCTL_API_TOKEN' });
    expect(resolveSettings({ ...flags, token: 'c' }, env, NONE).token).toEqual({ value: 'c', from: '--token' });
  });

  it.each([
    [{ ...flags, server: 'localhost:8080' }, 'is not an http or https URL'],
    [{ ...flags, server: 'http://user:pw@host' }, 'must not hold credentials'],
    [{ ...flags, profile: 'nope' }, 'there is no profile "nope"'],
  ])('refuses %o', (options, message) => {
    expect(() => resolveSettings(options, {}, FILE)).toThrow(message);
  });

  it('refuses a token that no header can carry, without repeating it', () => {
    const resolve = () => resolveSettings({ ...flags, token: 'se\ncret' }, {}, NONE);
    expect(resolve).toThrow('the API token has white space');
    expect(resolve).not.toThrow('cret');
  });

  it('reports an unset variable of a profile', () => {
    expect(() => resolveSettings(flags, {}, FILE)).toThrow('takes its token from PROD_TOKEN, which is not set');
  });
});
