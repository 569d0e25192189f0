import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { NavigationContext } from '../../ui/link/navigation.ts';
import { CompareCard } from './CompareCard.tsx';

const rule = { kind: 'ToolPermission', namespace: 'ops', name: 'erp' };
const answer = (own: Partial<AccessCheckAnswer>): AccessCheckAnswer => ({
  verdict: 'approval_required',
  reason: '',
  message: 'a person is asked',
  rule,
  findings: [],
  agent: 'ops/billing',
  tool: 'ops/erp',
  ...own,
});

test('both verdicts appear side by side with their rules, and a changed rule links to no stored one', async () => {
  const onSide = vi.fn();
  render(
    <NavigationContext value={{ go: vi.fn() }}>
      <CompareCard
        now={answer({})}
        then={answer({ verdict: 'deny', message: 'it is denied' })}
        scope="ops"
        drafted={new Set(['ToolPermission ops/erp'])}
        side="then"
        onSide={onSide}
      />
    </NavigationContext>,
  );
  expect(screen.getByRole('heading', { name: 'The change turns Ask into Deny' })).toBeTruthy();
  const now = within(screen.getByRole('group', { name: 'Now' }));
  expect(now.getByText('a person is asked')).toBeTruthy();
  expect(now.getByRole('link', { name: 'ToolPermission erp' })).toBeTruthy();
  const then = within(screen.getByRole('group', { name: 'With the change' }));
  expect(then.getByText('it is denied')).toBeTruthy();
  expect(then.queryByRole('link')).toBeNull();
  expect(then.getByText('as changed here')).toBeTruthy();
  await userEvent.click(screen.getByRole('radio', { name: 'Now' }));
  expect(onSide).toHaveBeenCalledWith('now');
});
