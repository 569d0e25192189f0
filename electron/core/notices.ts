// Notifications and counts of pending approvals, per server: shows, groups and closes them, and forwards the chosen action.
import type { FromServer, Notice } from '@svc/shared/control';
import type { NotificationPrefs } from '@svc/shared/desktop-api';
import { parseDeepLink } from './deeplink.ts';
import type { DeepLink } from '@svc/shared/desktop-api';
import { NO_NOTICES, reduceNotices, type NoticeEvent, type NoticeState, type NotifyEffect } from './notify.ts';
import type { ElectronApi } from './platform-port.ts';

type Decision = 'approved' | 'denied';
type DecisionReply = Extract<FromServer, { type: 'decided' }>;
type NoticeMessage = Extract<FromServer, { type: 'notify' | 'notify-cancel' | 'badge' }>;

export interface NoticesOptions {
  readonly api: Pick<ElectronApi, 'notify' | 'setBadge' | 'canAct'>;
  readonly prefs: () => NotificationPrefs;
  readonly focused: () => boolean;
  /** Name of the server of a profile. */
  readonly nameOf: (profile: string) => string;
  /** The user opens it; `profile` is undefined for the server of this machine. */
  readonly onOpen: (link: DeepLink | undefined, profile: string | undefined) => void;
  readonly onDecide: (link: Extract<DeepLink, { type: 'approval' }>, decision: Decision, profile: string | undefined) => void;
  readonly onCount: () => void;
}

/** Approvals that wait on one server. */
export interface Waiting {
  /** Undefined: the server of this machine. */
  readonly server: { readonly id: string; readonly name: string } | undefined;
  readonly count: number;
}

const BODY_MAX = 500;

/** Time for today, else date and time. */
function timeOf(time: Date, now: Date): string {
  if (time.toDateString() === now.toDateString()) return time.toLocaleTimeString([], { timeStyle: 'short' });
  return time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

export class Notices {
  readonly #options: NoticesOptions;
  /** By profile; undefined: the server of this machine. */
  readonly #states = new Map<string | undefined, NoticeState>();
  readonly #counts = new Map<string | undefined, number>();
  readonly #open = new Map<string, () => void>();

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  receive(message: NoticeMessage): void {
    const { profile } = message;
    if (message.type === 'badge') return this.#count(profile, message.count);
    if (message.type === 'notify-cancel') return this.#handle(profile, { type: 'cancel', id: message.id });
    const { type: _type, ...notice } = message;
    this.#handle(profile, { type: 'notify', notice });
  }

  /** The server of this machine ended, which follows the others too: its successor announces and counts what is still open. */
  reset(): void {
    for (const profile of [...this.#states.keys()]) this.#handle(profile, { type: 'reset' });
    if (this.#counts.size === 0) return;
    this.#counts.clear();
    this.#showCounts();
  }

  /** A button decides nothing when the server refuses: another notification reports it, since that of the approval is closed. */
  refuse({ approvalRef: { kind, namespace, name }, message, profile }: DecisionReply): void {
    const link = `svc://approvals/${kind === 'ToolApproval' ? 'tool' : 'task'}/${namespace}/${name}`;
    const notice: Notice = {
      ...{ id: `refused:${link}`, title: 'The decision was refused', body: message.slice(0, BODY_MAX), link },
      ...{ actions: [], expiresAt: null, urgency: 'normal' as const },
    };
    this.#perform({ type: 'show', notice }, profile);
  }

  waiting(): Waiting[] {
    return [...this.#counts].flatMap(([profile, count]) => (count === 0 ? [] : [{ server: this.#serverOf(profile), count }]));
  }

  #serverOf(profile: string | undefined): Waiting['server'] {
    return profile === undefined ? undefined : { id: profile, name: this.#options.nameOf(profile) };
  }

  #count(profile: string | undefined, count: number): void {
    this.#counts.set(profile, count);
    this.#showCounts();
  }

  #showCounts(): void {
    this.#options.api.setBadge([...this.#counts.values()].reduce((sum, each) => sum + each, 0));
    this.#options.onCount();
  }

  #handle(profile: string | undefined, event: NoticeEvent): void {
    const { api, prefs, focused } = this.#options;
    const now = new Date();
    const { state, effects } = reduceNotices(this.#states.get(profile) ?? NO_NOTICES, event, {
      prefs: prefs(),
      focused: focused(),
      minuteOfDay: now.getHours() * 60 + now.getMinutes(),
      timeOf: (time) => timeOf(new Date(time), now),
      canAct: api.canAct,
      server: this.#serverOf(profile),
    });
    this.#states.set(profile, state);
    for (const effect of effects) this.#perform(effect, profile);
  }

  #perform(effect: NotifyEffect, profile: string | undefined): void {
    const id = effect.type === 'close' ? effect.id : effect.notice.id;
    this.#open.get(id)?.();
    this.#open.delete(id);
    if (effect.type === 'show') this.#open.set(id, this.#show(effect.notice, profile));
  }

  #show(notice: Notice, profile: string | undefined): () => void {
    const { api, onOpen, onDecide } = this.#options;
    const link = parseDeepLink(notice.link);
    return api.notify(notice, {
      onClick: () => onOpen(link, profile),
      onAction: (action) => {
        if (link?.type === 'approval') onDecide(link, action === 'approve' ? 'approved' : 'denied', profile);
      },
    });
  }
}
