import { afterEach, expect, test, vi } from 'vitest';
import { importCode } from './import-code.ts';

const HOST = 'https://console.example';
let files = 0;
/** Names of their own for each test: files that have arrived are remembered. */
const fileName = () => `./part-${(files += 1)}.js`;

afterEach(() => {
  vi.unstubAllGlobals();
  document.head.replaceChildren();
});

function stubFetch(...answers: readonly (Response | Error)[]) {
  const fetched = vi.fn((_url: string) => {
    const answer = answers[fetched.mock.calls.length - 1] ?? new Response('');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

const importer = `${HOST}/assets/page.js`;

test('files are fetched before the import, each once', async () => {
  const fetched = stubFetch();
  const [own, shared] = [fileName(), fileName()];
  const load = vi.fn(() => Promise.resolve(fetched.mock.calls.length));
  expect(await importCode(load, [own, shared], importer)).toBe(2);
  expect(await importCode(load, [shared], importer)).toBe(2);
  expect(fetched.mock.calls.flat()).toEqual([own, shared].map((file) => new URL(file, importer).href));
});

test.each([
  ['a request that failed', new TypeError('Failed to fetch')],
  ['an answer of a server without the file', new Response('', { status: 404 })],
])('%s is not an import, and is repeated by the next one', async (_what, answer) => {
  const fetched = stubFetch(answer);
  const file = fileName();
  const load = vi.fn(() => Promise.resolve('loaded'));
  await expect(importCode(load, [file], importer)).rejects.toThrow();
  expect(load).not.toHaveBeenCalled();
  expect(await importCode(load, [file], importer)).toBe('loaded');
  expect(fetched).toHaveBeenCalledTimes(2);
});

test('files that the page brings are not fetched', async () => {
  const fetched = stubFetch();
  const file = fileName();
  const preload = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: new URL(file, importer).href });
  document.head.append(preload);
  expect(await importCode(() => Promise.resolve('loaded'), [file], importer)).toBe('loaded');
  expect(fetched).not.toHaveBeenCalled();
});

test('the import waits for style sheets, and a failed one is requested again', async () => {
  const { settings } = (window as unknown as { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } } }).happyDOM;
  const load = vi.fn(() => Promise.resolve('loaded'));
  await expect(importCode(load, ['./style.css'], importer)).rejects.toThrow(`${HOST}/assets/style.css could not be loaded`);
  expect([load.mock.calls.length, document.head.children.length]).toEqual([0, 0]);
  settings.handleDisabledFileLoadingAsSuccess = true;
  expect(await importCode(load, ['./style.css'], importer)).toBe('loaded');
  settings.handleDisabledFileLoadingAsSuccess = false;
  expect(document.head.querySelector('link')).toMatchObject({ rel: 'stylesheet', href: `${HOST}/assets/style.css` });
});
