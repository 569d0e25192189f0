// Deep links: the exact forms that are followed, and everything else that is not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeepLinkBuffer, parseDeepLink } from './deeplink.ts';

describe('a deep link', () => {
  test.each([
    ['svc://open/default/Task/billing-1', { type: 'open', namespace: 'default', kind: 'Task', name: 'billing-1' }],
    ['svc://approvals/tool/team-a/q1', { type: 'approval', kind: 'ToolApproval', namespace: 'team-a', name: 'q1' }],
    ['svc://approvals/task/team-a/q1/', { type: 'approval', kind: 'TaskApproval', namespace: 'team-a', name: 'q1' }],
  ])('%s is followed', (url, link) => {
    expect(parseDeepLink(url)).toEqual(link);
  });

  test.each([
    'svc://open/default/Task',
    'svc://open/default/Task/a/b',
    'svc://open//Task/a',
    'svc://open/default/Task/a?approve=1',
    'svc://open/default/Task/a#x',
    'svc://approvals/other/default/q1',
    'svc://approve/tool/default/q1',
    'svc://open/..%2F..%2Fetc/Task/a',
    'svc://open/default/Task/%',
    'svc://open/default/Task/%00',
    'svc://open/default/Task/<script>',
    'svc://open/default/Task/a b',
    'SVC://open/default/Task/a',
    'https://open/default/Task/a',
    ' svc://open/default/Task/a',
    `svc://open/default/Task/${'a'.repeat(2_000)}`,
    '',
  ])('%s is dropped', (url) => {
    expect(parseDeepLink(url)).toBeUndefined();
  });

  test('never yields a name with anything but letters, digits, dots, dashes and underscores', () => {
    const noise = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('open', 'approvals', 'tool', 'task', '%2F', '..', 'a'),
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 6 }), (segments) => {
        const link = parseDeepLink(`svc://${segments.join('/')}`);
        if (link) expect(`${link.namespace}${link.kind}${link.name}`).toMatch(/^[A-Za-z0-9._-]+$/);
      }),
      { numRuns: 3_000 },
    );
  });
});

test('the buffer keeps all bundles that were opened together, and drops them for a link that came later', () => {
  const bundle = (name: string) => ({ type: 'bundle', name, text: '' }) as const;
  const delivered: unknown[] = [];
  const buffer = new DeepLinkBuffer();
  buffer.push(parseDeepLink('svc://open/a/Task/first')!);
  buffer.push(bundle('a'));
  buffer.push(bundle('b'));
  buffer.listen((link) => delivered.push(link));
  expect(delivered).toEqual([bundle('a'), bundle('b')]);
  buffer.pause();
  buffer.push(bundle('c'));
  const link = parseDeepLink('svc://open/a/Task/second')!;
  buffer.push(link);
  buffer.listen((opened) => delivered.push(opened));
  expect(delivered.slice(2)).toEqual([link]);
});

test('a link that arrives during a reload is delivered to the next page, or to the same one when the reload did not happen', () => {
  const link = (name: string) => parseDeepLink(`svc://open/a/Task/${name}`)!;
  const delivered: unknown[] = [];
  const page = (number: number) => (opened: unknown) => void delivered.push([number, opened]);
  const buffer = new DeepLinkBuffer();
  buffer.listen(page(1));
  buffer.hold();
  buffer.push(link('during'));
  // The page that is about to end.
  buffer.listen(page(1));
  expect(delivered).toEqual([]);
  buffer.pause();
  buffer.listen(page(2));
  buffer.release();
  buffer.hold();
  buffer.push(link('stayed'));
  buffer.release();
  buffer.push(link('after'));
  expect(delivered).toEqual([
    [2, link('during')],
    [2, link('stayed')],
    [2, link('after')],
  ]);
});

test('the buffer delivers the newest link once a page listens, and waits again after the page was closed', () => {
  const buffer = new DeepLinkBuffer();
  const first = parseDeepLink('svc://open/a/Task/first')!;
  const second = parseDeepLink('svc://open/a/Task/second')!;
  const delivered: unknown[] = [];
  buffer.push(first);
  buffer.push(second);
  buffer.listen((link) => delivered.push(link));
  expect(delivered).toEqual([second]);
  buffer.push(first);
  buffer.pause();
  buffer.push(second);
  expect(delivered).toEqual([second, first]);
  buffer.listen((link) => delivered.push(link));
  expect(delivered).toEqual([second, first, second]);
});
