import { expect, test } from 'vitest';
import { kindTable } from '../../kinds/kind-table.ts';
import { headingId, isGuide, loadGuide, placeOf, readGuide } from './guides.ts';

test('each kind has a guide', () => {
  for (const { plural } of kindTable) expect(isGuide(`reference/kinds/${plural}`), plural).toBe(true);
});

test.each(['README', 'concepts', 'approvals', 'reference/svcctl'])('the guide %s has a title and a text', async (guide) => {
  const { title, text } = (await loadGuide(guide))!;
  expect(title).not.toBe('');
  expect(text).not.toMatch(/^#\s/);
  expect(text.length).toBeGreaterThan(500);
});

test('the endpoints and the decisions of developers are no guides', async () => {
  expect(isGuide('reference/api')).toBe(false);
  expect(await loadGuide('adr/0021-programs-are-few-files')).toBeNull();
});

test('the note about the origin of a page is left out', () => {
  expect(readGuide('<!-- Generated. -->\n\n# Agent\n\nOne participant.\n')).toEqual({ title: 'Agent', text: 'One participant.' });
  expect(readGuide('no title')).toEqual({ title: '', text: 'no title' });
});

test.each([
  ['operations.md#ceilings', 'README', { guide: 'operations', at: 'ceilings' }],
  ['#phases', 'engine', { guide: 'engine', at: 'phases' }],
  ['../tools.md', 'reference/svcd', { guide: 'tools', at: '' }],
  ['agent-roles.md', 'reference/kinds/agents', { guide: 'reference/kinds/agent-roles', at: '' }],
  ['../README.md#use-it', 'concepts', undefined],
  ['adr', 'README', undefined],
  ['https://example.com/tools.md', 'README', undefined],
  ['javascript:alert(1)', 'README', undefined],
  ['http://[', 'README', undefined],
])('the link %s of %s leads to %j', (href, from, place) => {
  expect(placeOf(href, from)).toEqual(place);
});

test.each([
  ['Unknown outcome', 'unknown-outcome'],
  ['`svcctl`: apply & get', 'svcctl-apply--get'],
  ['Über Zeit_zonen', 'über-zeit_zonen'],
])('the heading %s has the id of its links', (text, id) => {
  expect(headingId(text)).toBe(id);
});

test('links of the guides to headings of guides find them', async () => {
  const pages = new Map<string, string>();
  for (const path of Object.keys(import.meta.glob('../../../docs/*.md'))) {
    const guide = path.replace('../../../docs/', '').replace(/\.md$/, '');
    pages.set(guide, (await loadGuide(guide))!.text);
  }
  const idsOf = (text: string) =>
    [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => headingId(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')));
  for (const [from, text] of pages) {
    for (const [, href = ''] of text.matchAll(/\]\(([^)\s]+#[^)\s]+)\)/g)) {
      const place = placeOf(href, from);
      const target = place && pages.get(place.guide);
      if (place && target !== undefined) expect(idsOf(target), `${from}: ${href}`).toContain(decodeURIComponent(place.at));
    }
  }
});
