// Actions of one agent for the next trial, as items of its menu.
import { Pin, Play, SkipForward } from 'lucide-react';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { pinOf } from '../../trials/model/trial-draft.ts';
import type { TrialDesign } from './use-trial-design.ts';

export const TRIAL_KEYS = { before: 'b', after: 'shift+b', pin: 'p', only: 'alt+shift+r', from: 'shift+r' } as const;

export function trialItems(trial: TrialDesign, node: string): readonly MenuItem[] {
  const { stops, toggle, pin, run, draft } = trial;
  return [
    {
      id: 'before',
      label: 'Break before',
      checked: stops(node, 'before'),
      shortcut: TRIAL_KEYS.before,
      onSelect: () => toggle(node, 'before'),
    },
    {
      id: 'after',
      label: 'Break after',
      checked: stops(node, 'after'),
      shortcut: TRIAL_KEYS.after,
      onSelect: () => toggle(node, 'after'),
    },
    {
      id: 'pin',
      label: pinOf(draft, node) ? 'Change the pinned output…' : 'Pin output…',
      icon: <Pin aria-hidden />,
      shortcut: TRIAL_KEYS.pin,
      onSelect: () => pin(node),
    },
    'separator',
    {
      id: 'only',
      label: 'Run only this agent',
      icon: <Play aria-hidden />,
      shortcut: TRIAL_KEYS.only,
      onSelect: () => run('only', node),
    },
    { id: 'from', label: 'Run from here', icon: <SkipForward aria-hidden />, shortcut: TRIAL_KEYS.from, onSelect: () => run('from', node) },
  ];
}
