// Notifications: which are shown, grouped, silent and closed.
import { expect, test } from 'vitest';
import type { Notice } from '@svc/shared/control';
import { NO_NOTICES, reduceNotices, type NoticeContext, type NoticeEvent, type NotifyEffect } from './notify.ts';

const notice = (id: string, changes: Partial<Notice> = {}): Notice => ({
  id,
  title: `clerk wants to call ${id}`,
  body: 'Task bill',
  link: `svc://approvals/tool/default/${id}`,
  actions: ['approve', 'deny'],
  expiresAt: null,
  urgency: 'normal',
  ...changes,
});

const context = (changes: Partial<NoticeContext> = {}, prefs: Partial<NoticeContext['prefs']> = {}): NoticeContext => ({
  prefs: { enabled: true, whenFocused: false, quietHours: null, background: false, ...prefs },
  focused: false,
  minuteOfDay: 600,
  timeOf: (time) => time.slice(11, 16),
  canAct: true,
  ...changes,
});

function run(events: readonly NoticeEvent[], given = context()) {
  let state = NO_NOTICES;
  const effects: NotifyEffect[] = [];
  for (const event of events) {
    const step = reduceNotices(state, event, given);
    state = step.state;
    effects.push(...step.effects);
  }
  return {
    state,
    effects: effects.map((effect) => (effect.type === 'show' ? `show ${effect.notice.id}` : `close ${effect.id}`)),
    raw: effects,
  };
}

const opens = (...ids: string[]): NoticeEvent[] => ids.map((id) => ({ type: 'notify', notice: notice(id) }));

test('a question is shown once and closed when it is decided', () => {
  expect(run([...opens('a'), { type: 'cancel', id: 'a' }]).effects).toEqual(['show a', 'close a']);
});

test('a notification shows when its question expires, after its server', () => {
  const expiring: NoticeEvent = { type: 'notify', notice: notice('a', { expiresAt: '2026-01-01T14:32:00Z' }) };
  expect(run([expiring]).raw[0]).toMatchObject({ notice: { body: 'Task bill · expires 14:32' } });
  expect(run([expiring], context({ server: { id: 'eu', name: 'Europe' } })).raw[0]).toMatchObject({
    notice: { body: 'Europe · Task bill · expires 14:32' },
  });
});

test('more than three questions are one notification without buttons, closed with the last of them', () => {
  const { effects, raw } = run([
    ...opens('a', 'b', 'c', 'd'),
    { type: 'cancel', id: 'a' },
    { type: 'cancel', id: 'b' },
    { type: 'cancel', id: 'c' },
    { type: 'cancel', id: 'd' },
  ]);
  expect(effects).toEqual(['show a', 'show b', 'show c', 'close a', 'close b', 'close c', 'show summary', 'close summary']);
  expect(raw[6]).toMatchObject({ notice: { title: '4 approvals wait', actions: [] } });
});

test('a new approval replaces the group once few are left', () => {
  const cancels: NoticeEvent[] = ['a', 'b', 'c'].map((id) => ({ type: 'cancel', id }));
  const { effects, state } = run([...opens('a', 'b', 'c', 'd'), ...cancels, ...opens('e')]);
  expect(effects.slice(-2)).toEqual(['close summary', 'show e']);
  expect(state.shown).toEqual(['e']);
});

test('buttons are left out where the platform has none', () => {
  const { raw } = run(opens('a'), context({ canAct: false }));
  expect(raw[0]).toMatchObject({ notice: { actions: [] } });
});

test.each([
  ['notifications are off', context({}, { enabled: false })],
  ['the window has the focus', context({ focused: true })],
  ['the hours are quiet', context({}, { quietHours: { from: '09:00', to: '11:00' } })],
  ['the hours are quiet over midnight', context({ minuteOfDay: 30 }, { quietHours: { from: '22:00', to: '07:00' } })],
])('nothing is shown while %s', (_, given) => {
  expect(run(opens('a'), given).effects).toEqual([]);
});

test('urgent questions are shown in quiet hours, and any where the person wants them in a focused window', () => {
  const urgent: NoticeEvent = { type: 'notify', notice: notice('a', { urgency: 'critical' }) };
  expect(run([urgent], context({}, { quietHours: { from: '00:00', to: '23:59' } })).effects).toEqual(['show a']);
  expect(run(opens('a'), context({ focused: true }, { whenFocused: true })).effects).toEqual(['show a']);
});

test('the end of a server closes everything', () => {
  const { state, effects } = run([...opens('a', 'b'), { type: 'reset' }]);
  expect(effects).toEqual(['show a', 'show b', 'close a', 'close b']);
  expect(state).toEqual(NO_NOTICES);
});

test('notices of another server name it, and are grouped by themselves', () => {
  const { raw } = run(opens('a', 'b', 'c', 'd'), context({ server: { id: 'eu', name: 'Staging EU' } }));
  expect(raw[0]).toMatchObject({ notice: { title: 'clerk wants to call a', body: 'Staging EU · Task bill' } });
  expect(raw.at(-1)).toMatchObject({ notice: { id: 'summary:eu', title: '4 approvals wait on Staging EU' } });
});
