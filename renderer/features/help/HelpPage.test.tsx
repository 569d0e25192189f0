// The guides as pages: the real ones of docs/.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderAt } from '../../testing/render-at.tsx';
import { HelpPage } from './HelpPage.tsx';

const PATH = '/n/$ns/help';
const heading = (name: string) => screen.findByRole('heading', { name, level: 1 });

test('the index leads to a guide, which leads back', async () => {
  const page = await renderAt('/n/ops/help', HelpPage, PATH);
  expect(await heading('Help')).toBeDefined();
  fireEvent.click(await screen.findByRole('link', { name: 'Approvals' }));
  expect(await heading('Approvals')).toBeDefined();
  expect(page.address()).toBe('/n/ops/help?guide=approvals');
  fireEvent.click(screen.getByRole('link', { name: 'Help' }));
  expect(await heading('Help')).toBeDefined();
  expect(page.address()).toBe('/n/ops/help');
});

test('a link to a heading of another guide scrolls to it', async () => {
  const scrolled: string[] = [];
  const original = Element.prototype.scrollIntoView;
  Element.prototype.scrollIntoView = function scroll(this: Element) {
    scrolled.push(this.id);
  };
  try {
    await renderAt('/n/ops/help?guide=operations&at=ceilings', HelpPage, PATH);
    expect(await heading('Running a server')).toBeDefined();
    await waitFor(() => expect(scrolled).toContain('ceilings'));
  } finally {
    Element.prototype.scrollIntoView = original;
  }
});

test('links that lead to no guide are plain text', async () => {
  await renderAt('/n/ops/help', HelpPage, PATH);
  await heading('Help');
  expect(await screen.findByText('ARCHITECTURE.md')).toBeDefined();
  expect(screen.queryByRole('link', { name: 'ARCHITECTURE.md' })).toBeNull();
});

test('an unknown guide is reported', async () => {
  await renderAt('/n/ops/help?guide=../../secrets', HelpPage, PATH);
  expect(await heading('There is no guide “../../secrets”')).toBeDefined();
});
