import { expect, test } from 'vitest';
import { registryLogins } from './registry-logins.ts';

const config = (auths: unknown) => ({ '.registryconfigjson': JSON.stringify({ auths }) });
const robot = { username: 'robot', password: 'p:w' };

test.each([
  [{ registry: 'registry.example:5000', ...robot }, { 'registry.example:5000': robot }],
  [{ registry: ' https://Index.docker.io/v1/ ', ...robot }, { 'docker.io': robot }],
  [config({ 'https://index.docker.io/v1/': { auth: Buffer.from('robot:p:w').toString('base64') } }), { 'docker.io': robot }],
  [
    config({ 'r.example/team': robot, 'b.example': { identitytoken: 't' } }),
    { 'r.example': robot, 'b.example': { username: '', password: '', identityToken: 't' } },
  ],
  [config({}), {}],
])('logins of %j', (entries, logins) => {
  expect(registryLogins(entries as unknown as Record<string, string>)).toEqual({ logins });
});

test.each([
  [{}, 'it has no keys'],
  [{ username: 'a', password: 'b' }, 'it has password, username'],
  [{ '.registryconfigjson': 'no json' }, '"auths"'],
  [{ '.registryconfigjson': '{}' }, '"auths"'],
  [config({ 'r.example': { auth: 'bm8tY29sb24=' } }), '"r.example"'],
  [config({ 'r.example': {} }), '"r.example"'],
])('no logins in %j', (entries, problem) => {
  const read = registryLogins(entries);
  expect(read).toEqual({ problem: expect.stringContaining(problem) });
});
