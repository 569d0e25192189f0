// Starts a run of the system from its canvas.
import { LOOP_TURNS } from '@svc/shared/graph/graph';
import { Play } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { api } from '../../../live/api.ts';
import { creator } from '../../../live/creator.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { trialProblem, trialSpecOf, type TrialDraft, type TrialScope } from '../../trials/model/trial-draft.ts';
import { earlierRunsInput, reusableRuns, type EarlierRuns } from '../../trials/model/use-earlier-runs.ts';
import { TrialSection } from '../../trials/parts/TrialSection.tsx';
import { useCases } from './cases.ts';
import { RunInput, type Inputs } from './RunInput.tsx';
import { notStartedText } from '../../runs/model/not-started-text.ts';
import { runName } from '../../runs/model/run-name.ts';
import { firstRows, pastInputs, rowsProblem, taskOf, type PastInput, type RunRequest } from './run-input.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface RunDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly namespace: string;
  readonly system: string;
  /** The nodes of a loop, when there is one. */
  readonly cycle: readonly string[] | undefined;
  /** Drafts that are applied first: `the system, with 3 agents`; undefined when everything is stored. */
  readonly changes: string | undefined;
  /** Applies it. Resolves with whether it was stored. */
  readonly prepare: () => Promise<boolean>;
  readonly onStarted: (task: string) => void;
  readonly trial: RunTrial;
}

interface RunTrial {
  /** Agents of the system. */
  readonly nodes: readonly string[];
  readonly draft: TrialDraft;
  readonly onDraft: (draft: TrialDraft) => void;
  /** The wanted part; an empty run stands for the best one. */
  readonly scope: TrialScope;
}

const PRIORITIES = ['low', 'normal', 'high', 'critical'].map((value) => ({ value, label: value }));

export function RunDialog(props: RunDialogProps) {
  const { open, onClose, system, namespace } = props;
  const title = system === '' ? 'Run the new system' : `Run ${system}`;
  const { data, isPending } = useQuery({ ...api.resources.list.queryOptions(earlierRunsInput(namespace, system)), enabled: open });
  const past = useMemo(() => pastInputs(data?.items ?? []), [data]);
  const runs = useMemo(() => reusableRuns(data?.items ?? []), [data]);
  // Stays while a review of the changes takes the place of the form.
  const [typed, setTyped] = useState<Inputs>();
  const close = () => {
    setTyped(undefined);
    onClose();
  };
  const onStarted = (task: string) => {
    setTyped(undefined);
    props.onStarted(task);
  };
  const form = { ...props, past, runs, typed, onTyped: setTyped, onClose: close, onStarted };
  return (
    <Dialog open={open} onClose={close} title={title} size="lg">
      {open && (isPending ? <Skeleton className="h-40 w-full" /> : <RunForm {...form} />)}
    </Dialog>
  );
}

function useStart({ namespace, system, changes, prepare, onStarted }: RunDialogProps) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [create] = useState(creator);
  const start = async (request: Omit<RunRequest, 'namespace' | 'system'>) => {
    setBusy(true);
    setError(undefined);
    try {
      if (changes !== undefined && !(await prepare())) return setBusy(false);
      const { metadata } = await create(taskOf({ ...request, namespace, system }));
      onStarted(metadata.name);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return { error, busy, start };
}

interface RunFormProps extends RunDialogProps {
  readonly past: readonly PastInput[];
  /** Earlier runs that a trial can reuse. */
  readonly runs: EarlierRuns;
  readonly typed: Inputs | undefined;
  readonly onTyped: (inputs: Inputs) => void;
}

/** The trial of the form: the draft of the system, and the part that runs this once. */
function useTrialOfForm({ trial, runs }: RunFormProps) {
  const [scope, setScope] = useState<TrialScope>(() =>
    trial.scope.part !== 'whole' && trial.scope.task === '' ? { ...trial.scope, task: runs.best } : trial.scope,
  );
  const [recorded, setRecorded] = useState(true);
  const source = scope.part === 'whole' ? '' : scope.task;
  return {
    scope,
    setScope,
    /** The run whose input is used again; empty where the form has one of its own. */
    inputOf: recorded ? source : '',
    source,
    setRecorded,
    spec: trialSpecOf(trial.draft, scope),
    problem: trialProblem(trial.draft, scope, trial.nodes),
  };
}

type TrialOfForm = ReturnType<typeof useTrialOfForm>;

function InputFields({ of, children }: { readonly of: TrialOfForm; readonly children: ReactNode }) {
  if (of.source === '') return children;
  return (
    <div className="flex flex-col gap-3">
      <Checkbox checked={of.inputOf !== ''} onChange={of.setRecorded} label={`Use the input of ${of.source}`} />
      {of.inputOf === '' && children}
    </div>
  );
}

function RunForm(props: RunFormProps) {
  const { namespace, onClose, system, cycle, changes, past, runs, trial, typed, onTyped } = props;
  const cases = useCases(namespace, system);
  const canWrite = useCanWrite();
  const [first] = useState<Inputs>(() => ({ rows: firstRows(past), problem: undefined }));
  const inputs = typed ?? first;
  const [name, setName] = useState(() => runName(system, new Date()));
  const [priority, setPriority] = useState('normal');
  const [turns, setTurns] = useState(cycle ? String(LOOP_TURNS) : '');
  const { error, busy, start } = useStart(props);
  const of = useTrialOfForm(props);
  // A part that was chosen on the canvas leaves nothing to fill in.
  const asked = trial.scope.part !== 'whole';
  const focusFirst = useCallback((button: HTMLButtonElement | null) => (asked ? button?.focus() : undefined), [asked]);
  const maxTurns = Math.max(0, Math.trunc(Number(turns)) || 0);
  const unbound = cycle !== undefined && maxTurns === 0;
  const inputProblem = of.inputOf === '' ? (inputs.problem ?? rowsProblem(inputs.rows)) : undefined;
  const submit = () => {
    const rows = of.inputOf === '' ? inputs.rows : [];
    if (inputProblem === undefined && !unbound) void start({ name, rows, priority, maxTurns, trial: of.spec });
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      {changes !== undefined && (
        <Banner tone="info" className="rounded-md">
          This first applies {changes}, as one transaction. To see the changes first, review them below the canvas.
        </Banner>
      )}
      <InputFields of={of}>
        <RunInput past={past} cases={cases} inputs={inputs} onChange={onTyped} />
      </InputFields>
      <TrialSection {...trial} runs={runs} scope={of.scope} onScope={of.setScope} startsOpen={trial.scope.part !== 'whole'} />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Field label="Name of the run">
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Priority">
          <Select value={priority} options={PRIORITIES} onChange={setPriority} />
        </Field>
      </div>
      {cycle && <TurnsField cycle={cycle} turns={turns} unbound={unbound} onTurns={setTurns} />}
      {error !== undefined && <ErrorCard title={notStartedText(error)} error={error} />}
      <div className="sticky -bottom-4 z-10 -mx-5 -mb-4 flex justify-end gap-2 border-t border-border bg-raised px-5 py-3">
        <Button onClick={onClose} disabled={busy}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="primary"
          ref={focusFirst}
          {...(asked && { 'data-autofocus': true })}
          icon={<Play />}
          busy={busy}
          disabledReason={canWrite.reason ?? (system === '' ? 'Name the system first' : (of.problem ?? inputProblem))}
        >
          {startLabel(changes !== undefined, of.spec !== undefined)}
        </Button>
      </div>
    </Form>
  );
}

function startLabel(applies: boolean, trial: boolean): string {
  const run = trial ? 'Start the trial' : 'Run';
  return applies ? `Apply and ${run.toLowerCase()}` : run;
}

interface TurnsFieldProps {
  readonly cycle: readonly string[];
  readonly turns: string;
  readonly unbound: boolean;
  readonly onTurns: (turns: string) => void;
}

function TurnsField({ cycle, turns, unbound, onTurns }: TurnsFieldProps) {
  return (
    <Field
      label="Turns at most"
      required
      hint={`The system has a loop, ${[...cycle, cycle[0]].join(' → ')}. A run ends after this many turns on one branch.`}
      error={unbound ? 'A loop needs a bound above 0' : undefined}
    >
      <Input type="number" min={1} value={turns} onChange={(event) => onTurns(event.target.value)} />
    </Field>
  );
}
