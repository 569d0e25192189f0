// The keys of the inbox that move and select. Those that decide belong to the decision.
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';

export interface QueueKeys {
  readonly keys: readonly string[];
  readonly current: string;
  /** Last position of the current item in the queue. */
  readonly lastIndex: number;
  readonly open: (key: string) => void;
  readonly toggle: ((key: string, range: boolean) => void) | undefined;
  readonly readDecision: () => void;
}

const GROUP = 'Approvals';

/** Inside readable text arrows scroll. */
const outsideOfReading = () => document.activeElement?.closest('[data-decision-scroll], [data-context]') == null;

export function useQueueKeys({ keys, current, lastIndex, open, toggle, readDecision }: QueueKeys): void {
  const move = (by: 1 | -1) => {
    const at = keys.indexOf(current);
    // The next item has taken the place of a decided one.
    const to = at >= 0 ? at + by : by > 0 ? lastIndex : lastIndex - 1;
    const key = keys[Math.min(keys.length - 1, Math.max(0, to))];
    if (key !== undefined && key !== current) open(key);
  };
  const select = (range: boolean) => current !== '' && toggle?.(current, range);
  const shared = { group: GROUP, quiet: true };
  useShortcut({ ...shared, id: 'approvals.next', keys: 'j', label: 'Next approval', run: () => move(1) });
  useShortcut({ ...shared, id: 'approvals.previous', keys: 'k', label: 'Previous approval', run: () => move(-1) });
  useShortcut({
    ...shared,
    id: 'approvals.down',
    keys: 'arrowdown',
    applies: outsideOfReading,
    label: 'Next approval',
    run: () => move(1),
  });
  useShortcut({
    ...shared,
    id: 'approvals.up',
    keys: 'arrowup',
    applies: outsideOfReading,
    label: 'Previous approval',
    run: () => move(-1),
  });
  useShortcut({ ...shared, id: 'approvals.open', keys: 'o', label: 'Read the open approval', run: readDecision });
  useShortcut({ ...shared, id: 'approvals.select', keys: 'x', label: 'Select', when: toggle !== undefined, run: () => select(false) });
  useShortcut({
    ...shared,
    id: 'approvals.selectRange',
    keys: 'shift+x',
    label: 'Select up to here',
    when: toggle !== undefined,
    run: () => select(true),
  });
}
