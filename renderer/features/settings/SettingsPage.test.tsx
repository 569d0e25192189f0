import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { SettingsPage } from './SettingsPage.tsx';

test('a link to the settings of the desktop app shows the notifications in a browser', async () => {
  serve({ preferences: { get: () => ({}) } });
  await renderAt('/n/ops/settings?tab=desktop', SettingsPage, '/n/$ns/settings');
  expect(screen.getByRole('tab', { name: 'Notifications', selected: true })).toBeDefined();
});
