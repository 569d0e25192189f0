import { expect, test } from 'vitest';
import { basePathOf } from './base-path.ts';

const pageWith = (content: string | undefined) => ({
  querySelector: () => (content === undefined ? null : Object.assign(document.createElement('meta'), { content })),
});

test.each([
  ['the prefix that the server wrote', '/tools/svc', '/tools/svc'],
  ['no prefix', '', ''],
  ['the placeholder of a page that no server wrote', '__BASE_PATH__', ''],
  ['a page without the element', undefined, ''],
])('%s gives %j', (_title, content, path) => {
  expect(basePathOf(pageWith(content) as unknown as Document)).toBe(path);
});
