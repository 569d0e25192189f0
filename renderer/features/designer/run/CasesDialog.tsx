// An experiment from the canvas: cases of the system, run with the current definitions and with the drafts.
import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { TODAY_VARIANT } from '@svc/shared/kinds/experiment/limits';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { emptyDraft, type CaseRow, type Draft, type GivenChanges } from '../../experiments/model/draft.ts';
import { ExperimentForm } from '../../experiments/parts/ExperimentForm.tsx';
import { runName } from '../../runs/model/run-name.ts';
import { earlierRunsInput } from '../../trials/model/use-earlier-runs.ts';
import type { DraftVariants } from '../document/draft-variants.ts';
import { useCases } from './cases.ts';
import { pastInputs, rowsText, type PastInput } from './run-input.ts';

export interface CasesDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly namespace: string;
  readonly system: string;
  readonly agents: readonly string[];
  readonly variants: DraftVariants;
  /** Applies everything that is drafted. Resolves with whether it was stored. */
  readonly prepare: () => Promise<boolean>;
  readonly onStarted: (experiment: string) => void;
}

/** Names of experiments are shorter than those of runs. */
const SYSTEM_NAME_MAX = 60;

export function CasesDialog(props: CasesDialogProps) {
  const { open, onClose, system, namespace } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Compare ${system} over cases`}
      description="Each case runs with each variant, as trials. Outputs and metrics are shown side by side."
      size="xl"
    >
      {open && <Body key={`${namespace}/${system}`} {...props} />}
    </Dialog>
  );
}

/** Saved cases of the system, or else the input of its newest run. */
function casesOf(saved: readonly PastInput[], past: readonly PastInput[]): readonly CaseRow[] {
  const rows = saved.length > 0 ? saved : past.slice(0, 1).map((each) => ({ ...each, task: 'last-input' }));
  return rows.map((each, index) => ({ id: index + 1, name: each.task, text: rowsText(each.rows) }));
}

function variant(id: number, name: string, given?: GivenChanges): Draft['variants'][number] {
  return { id, name, change: given ? 'given' : 'today', agent: '', generation: 0, text: '', ...(given && { given }) };
}

function firstVariants({ drafted }: DraftVariants, before: GivenChanges | undefined): Draft['variants'] {
  if (before) return [variant(1, 'before', before), variant(2, TODAY_VARIANT)];
  return [variant(1, TODAY_VARIANT), ...(drafted ? [variant(2, 'draft', drafted)] : [])];
}

function Body({ namespace, system, agents, variants, prepare, onStarted }: CasesDialogProps) {
  /** The versions that the apply of this dialog replaced. */
  const [replaced, setReplaced] = useState<GivenChanges>();
  const [busy, setBusy] = useState(false);
  const cases = useCases(namespace, system);
  const { data, isPending } = useQuery(api.resources.list.queryOptions(earlierRunsInput(namespace, system)));
  const past = useMemo(() => pastInputs(data?.items ?? []), [data]);
  const [newest] = data?.items ?? [];
  const turns = newest ? (specOf('Task', newest).max_turns ?? 0) : 0;
  if (isPending || cases.loading) return <Skeleton className="h-60 w-full" />;
  const { unstored, before } = variants;
  const apply = async () => {
    setBusy(true);
    if (await prepare()) setReplaced(before);
    setBusy(false);
  };
  return (
    <div className="flex flex-col gap-4">
      {busy || unstored.length > 0 ? (
        <Banner
          tone="info"
          className="rounded-md"
          action={
            <Button size="sm" variant="primary" icon={<FlaskConical />} busy={busy} onClick={() => void apply()}>
              Apply and compare
            </Button>
          }
        >
          A trial replaces prompts and models only. {unstored.join(', ')} must be applied to run; the versions of before become the other
          variant.
        </Banner>
      ) : (
        <ExperimentForm
          systems={[{ name: system, agents }]}
          first={{
            ...emptyDraft(system),
            name: runName(system.slice(0, SYSTEM_NAME_MAX), new Date()),
            cases: casesOf(cases.list, past),
            ...(turns > 0 && { maxTurns: String(turns) }),
            variants: firstVariants(variants, replaced),
          }}
          namespace={namespace}
          onStarted={onStarted}
        />
      )}
    </div>
  );
}
