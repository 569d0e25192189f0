// Keys on the second step of a decision.
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ConfirmStep } from './ConfirmStep.tsx';

function show(decision: 'approved' | 'denied') {
  const control = { choose: vi.fn(), confirm: vi.fn(), takeBack: vi.fn(), dismiss: vi.fn(), refusal: undefined };
  const stage = { name: 'arm', decision } as const;
  render(
    <>
      <textarea aria-label="Comment" />
      <ConfirmStep
        control={{ ...control, stage }}
        stage={stage}
        subject="pay"
        approveLabel="Approve"
        approveConsequence="pay runs once."
        denyConsequence="The call is not made."
        onType={() => screen.getByRole('textbox').focus()}
      />
    </>,
  );
  return { ...control, comment: () => screen.getByRole<HTMLTextAreaElement>('textbox').value };
}

test.each(['approved', 'denied'] as const)('the space key sends no decision (%s), Enter does', async (decision) => {
  const { confirm } = show(decision);
  await userEvent.keyboard(' ');
  expect(confirm).not.toHaveBeenCalled();
  await userEvent.keyboard('{Enter}');
  expect(confirm).toHaveBeenCalledOnce();
});

test('letters typed after a denial are its reason', async () => {
  const { confirm, comment } = show('denied');
  await userEvent.keyboard('a bad idea');
  expect(comment()).toBe('a bad idea');
  expect(confirm).not.toHaveBeenCalled();
});
