// Keys of the next trial for the selected agent.
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import type { GraphSelection } from '../../../graph/canvas-items.ts';
import { isEmpty } from '../../trials/model/trial-draft.ts';
import { TRIAL_KEYS } from './trial-menu.tsx';
import type { TrialDesign } from './use-trial-design.ts';

export function useTrialKeys(trial: TrialDesign, { nodes, edges }: GraphSelection): void {
  const [node = ''] = nodes;
  const base = { group: 'Trial', when: nodes.length === 1 && edges.length === 0 };
  const { toggle, pin, run, clear, draft } = trial;
  useShortcut({ ...base, id: 'trial.before', keys: TRIAL_KEYS.before, label: 'Break before', run: () => toggle(node, 'before') });
  useShortcut({ ...base, id: 'trial.after', keys: TRIAL_KEYS.after, label: 'Break after', run: () => toggle(node, 'after') });
  useShortcut({ ...base, id: 'trial.pin', keys: TRIAL_KEYS.pin, label: 'Pin output…', run: () => pin(node) });
  useShortcut({ ...base, id: 'trial.only', keys: TRIAL_KEYS.only, label: 'Run only this agent', run: () => run('only', node) });
  useShortcut({ ...base, id: 'trial.from', keys: TRIAL_KEYS.from, label: 'Run from here', run: () => run('from', node) });
  useShortcut({ group: 'Trial', id: 'trial.clear', label: 'Clear breakpoints and pins', when: !isEmpty(draft), run: clear });
}
