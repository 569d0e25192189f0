import { expect, test } from 'vitest';
import { screen } from '@testing-library/react';
import { renderAt } from '../../../testing/render-at.tsx';
import { originText } from '../model/origin-text.ts';
import { RunOriginText } from './RunOriginText.tsx';

const source = { kind: 'Session', namespace: 'ops', name: 'talk' };

test('links the Session that the run came through, and names the requester', async () => {
  await renderAt('/', () => <RunOriginText origin={{ door: 'chat', source, askedBy: 'ann' }} />);
  const link = await screen.findByRole('link', { name: 'talk' });
  expect(link.getAttribute('href')).toBe('/n/ops/sessions/talk');
  expect(link.parentElement?.textContent).toBe('From Chat completions talk · requested by ann');
});

test('words of a row name the same', () => {
  expect(originText({ door: 'chat', source, askedBy: 'ann' })).toBe('from Chat completions talk · ann');
  expect(originText({ door: 'mcp' })).toBe('from MCP');
  expect(originText({ door: 'api', askedBy: 'ann' })).toBe('started directly · ann');
});
