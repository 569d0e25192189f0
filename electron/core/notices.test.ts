// A decision by a button that the server refused: another notification, which opens the approval of its server.
import { expect, test } from 'vitest';
import { Notices, type NoticesOptions } from './notices.ts';

test('a refused decision is shown, and opens its approval', () => {
  const opened: unknown[][] = [];
  const shown: { title: string; body: string; click: () => void }[] = [];
  const notices = new Notices({
    api: {
      canAct: true,
      setBadge: () => undefined,
      notify: ({ title, body }, { onClick }) => {
        shown.push({ title, body, click: onClick });
        return () => undefined;
      },
    },
    onOpen: (...args) => opened.push(args),
  } satisfies Partial<NoticesOptions> as unknown as NoticesOptions);
  const approvalRef = { kind: 'TaskApproval', namespace: 'team', name: 'q1' } as const;
  notices.refuse({ type: 'decided', approvalRef, ok: false, message: 'It is decided already', profile: 'eu' });
  expect(shown).toMatchObject([{ title: 'The decision was refused', body: 'It is decided already' }]);
  shown[0]?.click();
  expect(opened).toEqual([[{ type: 'approval', kind: 'TaskApproval', namespace: 'team', name: 'q1' }, 'eu']]);
});
