import { expect, test } from 'vitest';
import { reachableUrl } from './reachable-url.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['10.1.2.3', 'http://10.1.2.3:80'],
  ['::1', 'http://[::1]:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
])('a listener on %s is reached at %s', (host, url) => expect(reachableUrl({ host, port: 80 })).toBe(url));
