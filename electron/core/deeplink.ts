// Links `svc://…` from outside the app. They navigate and never act; whatever is not of an exact form is dropped.
import type { DeepLink, OpenedBundle } from '@svc/shared/desktop-api';
import { deepLinkSchema } from '@svc/shared/desktop-api';

const LINK_MAX = 1_024;
/** Names of namespaces, kinds and objects. */
const SEGMENT = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

function segmentsOf(url: string): string[] | undefined {
  if (url.length > LINK_MAX) return undefined;
  const match = /^svc:\/\/([^?#\\]+?)\/?$/.exec(url);
  if (!match?.[1]) return undefined;
  try {
    const segments = match[1].split('/').map(decodeURIComponent);
    return segments.every((segment) => SEGMENT.test(segment)) ? segments : undefined;
  } catch {
    return undefined;
  }
}

/** `svc://open/<namespace>/<kind>/<name>` and `svc://approvals/<tool|task>/<namespace>/<name>`; undefined for anything else. */
export function parseDeepLink(url: string): DeepLink | undefined {
  const [target, first = '', second = '', name = '', ...rest] = segmentsOf(url) ?? [];
  if (name === '' || rest.length > 0) return undefined;
  const link =
    target === 'open'
      ? { type: 'open', namespace: first, kind: second, name }
      : target === 'approvals' && (first === 'tool' || first === 'task')
        ? { type: 'approval', kind: first === 'tool' ? 'ToolApproval' : 'TaskApproval', namespace: second, name }
        : undefined;
  const parsed = deepLinkSchema.safeParse(link);
  return parsed.success ? parsed.data : undefined;
}

/** Link or file from outside the app. */
export type Opened = DeepLink | OpenedBundle;

/** Bundles that wait for a page. */
const WAITING_MAX = 20;

/** Holds the newest link, and opened bundles, until a page of the app listens; a page that reloads listens again. */
export class DeepLinkBuffer {
  #waiting: readonly Opened[] = [];
  #deliver: ((link: Opened) => void) | undefined;
  #held = false;

  push(link: Opened): void {
    if (this.#deliver && !this.#held) this.#deliver(link);
    else this.#waiting = [...this.#waiting.filter(({ type }) => link.type === 'bundle' && type === 'bundle'), link].slice(-WAITING_MAX);
  }

  /** The page listens now. */
  listen(deliver: (link: Opened) => void): void {
    this.#deliver = deliver;
    if (!this.#held) this.#flush();
  }

  /** Another page loads, as by a reload: links wait for it, since the page before may end at any moment. */
  hold(): void {
    this.#held = true;
  }

  /** The load is over; it may have left the page as it was. */
  release(): void {
    this.#held = false;
    this.#flush();
  }

  /** The page is gone. */
  pause(): void {
    this.#deliver = undefined;
    this.#held = false;
  }

  #flush(): void {
    if (!this.#deliver) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const link of waiting) this.#deliver(link);
  }
}
