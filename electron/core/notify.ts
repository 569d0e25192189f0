// Notifications of the system: which notices are shown, grouped and closed. Pure; the platform performs the effects.
import type { Notice } from '@svc/shared/control';
import type { NotificationPrefs } from '@svc/shared/desktop-api';

export interface ShownNotice extends Notice {
  /** No buttons where the platform has none. */
  readonly actions: Notice['actions'];
}

export type NotifyEffect = { readonly type: 'show'; readonly notice: ShownNotice } | { readonly type: 'close'; readonly id: string };

export interface NoticeState {
  /** Notices of open questions, oldest first. */
  readonly open: readonly Notice[];
  /** Ids of notifications on the screen. */
  readonly shown: readonly string[];
}

export const NO_NOTICES: NoticeState = { open: [], shown: [] };

export type NoticeEvent =
  { readonly type: 'notify'; readonly notice: Notice } | { readonly type: 'cancel'; readonly id: string } | { readonly type: 'reset' };

export interface NoticeContext {
  readonly prefs: NotificationPrefs;
  readonly focused: boolean;
  /** Local time, minutes since midnight. */
  readonly minuteOfDay: number;
  /** Text of a time, RFC 3339, as this machine writes it. */
  readonly timeOf: (time: string) => string;
  /** Whether notifications of this platform can have buttons. */
  readonly canAct: boolean;
  /** Server of the notices; undefined: the one of this machine. */
  readonly server?: { readonly id: string; readonly name: string } | undefined;
}

/** More notices than this are one notification. */
const SINGLES_MAX = 3;
/** Open questions that are remembered for notifications; the badge counts further ones. */
const OPEN_MAX = 200;
const SUMMARY = 'summary';
const summaryId = ({ server }: NoticeContext): string => (server === undefined ? SUMMARY : `${SUMMARY}:${server.id}`);

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function isQuiet({ prefs: { quietHours }, minuteOfDay }: NoticeContext): boolean {
  if (quietHours === null) return false;
  const [from, to] = [minutesOf(quietHours.from), minutesOf(quietHours.to)];
  return from <= to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
}

function isSilent(notice: Notice, context: NoticeContext): boolean {
  const { prefs, focused } = context;
  if (!prefs.enabled || (focused && !prefs.whenFocused)) return true;
  return isQuiet(context) && notice.urgency !== 'critical';
}

function summary(open: readonly Notice[], context: NoticeContext): ShownNotice {
  const urgent = open.some(({ urgency }) => urgency === 'critical');
  const newest = open.at(-1);
  return {
    id: summaryId(context),
    title: `${open.length} approvals wait${context.server === undefined ? '' : ` on ${context.server.name}`}`,
    body: newest ? `Newest: ${newest.title}` : '',
    link: newest?.link ?? 'svc://',
    actions: [],
    expiresAt: null,
    urgency: urgent ? 'critical' : 'normal',
  };
}

interface Step {
  readonly state: NoticeState;
  readonly effects: readonly NotifyEffect[];
}

const closing = (ids: readonly string[]): NotifyEffect[] => ids.map((id) => ({ type: 'close', id }));

function opened(state: NoticeState, notice: Notice, context: NoticeContext): Step {
  const open = [...state.open.filter(({ id }) => id !== notice.id), notice].slice(-OPEN_MAX);
  if (isSilent(notice, context)) return { state: { ...state, open }, effects: [] };
  const expires = notice.expiresAt !== null && `expires ${context.timeOf(notice.expiresAt)}`;
  const body = [context.server?.name, notice.body, expires].filter(Boolean).join(' · ');
  const single: ShownNotice = { ...notice, body, actions: context.canAct ? notice.actions : [] };
  const group = summaryId(context);
  if (open.length <= SINGLES_MAX) {
    const shown = [...state.shown.filter((id) => id !== notice.id && id !== group), notice.id];
    // A group counts more than are open by now.
    return { state: { open, shown }, effects: [...closing(state.shown.filter((id) => id === group)), { type: 'show', notice: single }] };
  }
  const replaced = state.shown.filter((id) => id !== group);
  return { state: { open, shown: [group] }, effects: [...closing(replaced), { type: 'show', notice: summary(open, context) }] };
}

function cancelled(state: NoticeState, id: string, context: NoticeContext): Step {
  const open = state.open.filter((notice) => notice.id !== id);
  const gone = state.shown.filter((each) => each === id || (each === summaryId(context) && open.length === 0));
  return { state: { open, shown: state.shown.filter((each) => !gone.includes(each)) }, effects: closing(gone) };
}

/** `reset` belongs to a server that ended: its successor announces what is still open. */
export function reduceNotices(state: NoticeState, event: NoticeEvent, context: NoticeContext): Step {
  if (event.type === 'notify') return opened(state, event.notice, context);
  if (event.type === 'cancel') return cancelled(state, event.id, context);
  return { state: NO_NOTICES, effects: closing(state.shown) };
}
