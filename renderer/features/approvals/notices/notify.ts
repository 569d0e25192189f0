// Notifications to show for pending approvals, and those to withdraw. Pure; contains no input and no secret.
import { textStart } from '@svc/shared/text-start';
import { subjectOf, type Approval } from '../model/approval.ts';

interface Notice {
  /** A newer notification replaces the older one of the same tag. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  /** The approval to open; undefined: the inbox. */
  readonly opens: Approval | undefined;
}

export interface NotifyPlan {
  readonly show: readonly Notice[];
  /** Tags of decided approvals, and of those in a summary now. */
  readonly close: readonly string[];
}

/** More than this many at once are one notification. */
const COALESCE_FROM = 4;
export const SUMMARY_TAG = 'approvals';
const TITLE_MAX = 80;
const BODY_MAX = 160;

const tagOf = ({ uid }: Approval): string => `approval-${uid}`;

/** Markup and hidden characters have no effect in a notification, but line breaks and long names would hide the rest. */
function plain(text: string, max: number): string {
  // eslint-disable-next-line no-control-regex -- this expression removes control characters
  const readable = text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ').trim();
  return readable.length > max ? `${textStart(readable, max - 1)}…` : readable;
}

function noticeOf(approval: Approval, time: (at: number) => string): Notice {
  const { agent, reason, expiresAt } = approval;
  const who = agent === '' ? '' : ` · ${agent}`;
  // An expired approval is described in the service's own words, with the tool in them; a rule's reason is a person's.
  const until = Number.isFinite(expiresAt) ? `Expires ${time(expiresAt)}.` : '';
  return {
    tag: tagOf(approval),
    title: plain(`${subjectOf(approval)}${who}`, TITLE_MAX),
    body: `${plain(reason, BODY_MAX)} ${until}`.trim(),
    opens: approval,
  };
}

export interface NotifyInput {
  readonly pending: readonly Approval[];
  /** Uids of known approvals, shown or not. */
  readonly known: ReadonlySet<string>;
  /** By the server's clock: earlier requests are not new, even when they are read only now. */
  readonly since: number;
  /** Tags on screen. */
  readonly shown: ReadonlySet<string>;
  readonly time: (at: number) => string;
}

export function planNotices({ pending, known, since, shown, time }: NotifyInput): NotifyPlan {
  const fresh = pending.filter(({ uid, createdAt }) => !known.has(uid) && !(createdAt < since));
  const open = new Set(pending.map(tagOf));
  const gone = [...shown].filter((tag) => tag !== SUMMARY_TAG && !open.has(tag));
  const still = [...shown].filter((tag) => open.has(tag));
  const emptied = pending.length === 0 && shown.has(SUMMARY_TAG) ? [SUMMARY_TAG] : [];
  if (fresh.length === 0) return { show: [], close: [...gone, ...emptied] };
  if (fresh.length + still.length < COALESCE_FROM && !shown.has(SUMMARY_TAG))
    return { show: fresh.map((approval) => noticeOf(approval, time)), close: gone };
  const [next] = [...pending].sort((a, b) => a.expiresAt - b.expiresAt);
  const body = next && Number.isFinite(next.expiresAt) ? `The first one expires ${time(next.expiresAt)}.` : '';
  return { show: [{ tag: SUMMARY_TAG, title: `${pending.length} approvals wait`, body, opens: undefined }], close: [...gone, ...still] };
}
