// Comparisons that begin on the canvas: a run repeated with what is drafted, and an experiment over the cases of the system.
import { FlaskConical, GitCompareArrows } from 'lucide-react';
import { Suspense, useState, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { EXPERIMENT } from '../../experiments/model/draft.ts';
import { draftVariants } from '../document/draft-variants.ts';
import type { Design } from '../document/use-design.ts';
import { COMPARE_KEYS, type RunAgain } from './use-run-again.ts';
import type { CasesDialogProps } from './CasesDialog.tsx';

const CasesDialog = lazyPart(async () => (await import('./CasesDialog.tsx')).CasesDialog);

export interface ComparisonOptions extends Pick<CasesDialogProps, 'namespace' | 'system' | 'prepare'> {
  readonly design: Design;
  readonly again: RunAgain;
  /** The system's own text, where it is edited. */
  readonly edited: Parameters<typeof draftVariants>[0]['system'];
  readonly isNew: boolean;
  /** A review is open: it takes the place of the dialog. */
  readonly reviewing: boolean;
  /** Opens the comparison or the experiment. */
  readonly onOpen: (address: string) => void;
}

export function useComparisons(options: ComparisonOptions): { readonly items: readonly MenuItem[]; readonly dialog: ReactNode } {
  const { design, again, namespace, system, edited, isNew, prepare, reviewing, onOpen } = options;
  const [open, setOpen] = useState(false);
  const disabledReason = again.reason ?? (isNew ? 'Apply the system first' : undefined);
  const state = disabledReason === undefined ? {} : { disabledReason };
  useShortcut({
    ...{ id: 'designer.cases', label: 'Compare over cases…', group: 'Designer' },
    ...{ when: disabledReason === undefined, run: () => setOpen(true) },
  });
  const items: readonly MenuItem[] = [
    {
      ...{ id: 'again', label: 'Run again and compare', icon: <GitCompareArrows />, shortcut: COMPARE_KEYS },
      ...{ ...state, onSelect: again.compare },
    },
    { id: 'cases', label: 'Compare over cases…', icon: <FlaskConical />, ...state, onSelect: () => setOpen(true) },
  ];
  const dialog = open && (
    <Suspense>
      <CasesDialog
        open={!reviewing}
        onClose={() => setOpen(false)}
        namespace={namespace}
        system={system}
        agents={design.system.agents}
        variants={draftVariants({ namespace, drafts: design.drafts, system: edited })}
        prepare={prepare}
        onStarted={(name) => onOpen(objectAddress({ kind: EXPERIMENT, namespace, name }))}
      />
    </Suspense>
  );
  return { items, dialog };
}
