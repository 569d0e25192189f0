// The form of an experiment: system, cases, variants, and the estimated cost before it starts.
import { useMutation } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { EXPERIMENT_RUNS_UNCONFIRMED_MAX } from '@svc/shared/kinds/experiment/limits';
import { DraftBanner } from '../../../editor/DraftBanner.tsx';
import { useDraft } from '../../../editor/use-draft.ts';
import { creator } from '../../../live/creator.ts';
import { problemOf } from '../../../live/problem.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { toastError } from '../../../ui/overlay/toast.ts';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { cn } from '../../../ui/cn.ts';
import { notStartedText } from '../../runs/model/not-started-text.ts';
import { EXPERIMENT, emptyDraft, problemsOf, readKept, specOfDraft, type Draft } from '../model/draft.ts';
import { estimateText, useEstimate, type EstimateRead } from '../model/use-estimate.ts';
import { CasesField } from './CasesField.tsx';
import { VariantsField } from './VariantsField.tsx';

interface SystemChoice {
  readonly name: string;
  readonly agents: readonly string[];
}

export interface ExperimentFormProps {
  /** Systems to choose from. */
  readonly systems: readonly SystemChoice[];
  readonly first: Draft;
  readonly namespace: string;
  readonly onStarted: (name: string) => void;
  readonly className?: string;
}

/** The form, kept in this browser while it is filled in. */
function useKeptForm(namespace: string, first: Draft) {
  const [begun] = useState(() => JSON.stringify(first));
  const [draft, setDraft] = useState(first);
  const text = JSON.stringify(draft);
  // Apart from the YAML of a new experiment.
  const target = useMemo(() => ({ kind: `${EXPERIMENT} form`, namespace }), [namespace]);
  const kept = useDraft({ target, text, baseText: '', dirty: text !== begun });
  const restore = () => {
    setDraft(readKept(kept.offered?.text ?? text) ?? draft);
    kept.restored();
  };
  return { draft, setDraft, kept, restore };
}

export function ExperimentForm({ systems, first, namespace, onStarted, className }: ExperimentFormProps) {
  const { draft, setDraft, kept, restore } = useKeptForm(namespace, first);
  const [shown, setShown] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const problems = problemsOf(draft);
  const seen = shown ? problems : new Map<string, string>();
  // A name is needed to start, not to estimate.
  const ready = [...problems.keys()].every((field) => field === 'name');
  const read = useEstimate(namespace, specOfDraft(draft), ready);
  const agents = systems.find(({ name }) => name === draft.system)?.agents ?? [];
  const amount = (field: 'repeats' | 'parallelism' | 'maxTurns' | 'maxTokens', label: string, hint: string) => (
    <Field label={label} hint={hint} error={problems.get(field)} className="w-52">
      <Input inputMode="numeric" value={draft[field]} onChange={(event) => change({ [field]: event.target.value })} />
    </Field>
  );
  return (
    <Form className={cn('flex flex-col gap-6', className)} onSubmit={() => setShown(true)}>
      <DraftBanner draft={kept} onRestore={restore} />
      <div className="flex flex-wrap gap-4">
        <Field label="Name" required error={seen.get('name')} className="w-80">
          <Input mono value={draft.name} onChange={(event) => change({ name: event.target.value })} />
        </Field>
        <Field label="System" required error={seen.get('system')} className="w-80">
          <Select
            value={draft.system}
            options={[
              { value: '', label: 'Choose a system', disabled: true },
              ...systems.map(({ name }) => ({ value: name, label: name })),
            ]}
            onChange={(system) => setDraft({ ...draft, system, variants: emptyDraft(system).variants })}
          />
        </Field>
      </div>
      <CasesField key={`cases ${draft.system}`} {...{ namespace, draft, problems: seen }} onChange={(cases) => change({ cases })} />
      <VariantsField
        key={`variants ${draft.system}`}
        {...{ namespace, draft, agents, problems: seen }}
        onChange={(variants) => change({ variants })}
      />
      <Section title="Runs">
        <div className="flex flex-wrap gap-4">
          {amount('repeats', 'Repeats', 'Runs of each case with each variant, at most 10.')}
          {amount('parallelism', 'At once', 'Runs at the same time, at most 50.')}
          {amount('maxTurns', 'Turns at most', 'Agent turns on one branch of a run. Needed where the graph has a loop.')}
          {amount('maxTokens', 'Budget of tokens', 'No run begins once it is used. Needed above 100 runs.')}
        </div>
      </Section>
      <Start
        {...{ draft, namespace, read, ready: problems.size === 0, kept: kept.kept }}
        onStarted={(name) => {
          kept.forget();
          onStarted(name);
        }}
        onRefused={() => setShown(true)}
      />
    </Form>
  );
}

interface StartProps {
  readonly draft: Draft;
  readonly namespace: string;
  readonly read: EstimateRead;
  readonly ready: boolean;
  /** The form is stored: closing the tab loses nothing. */
  readonly kept: boolean;
  readonly onStarted: (name: string) => void;
  /** Somebody tried to start a form with problems. */
  readonly onRefused: () => void;
}

function Start({ draft, namespace, read: { estimate, error }, ready, kept, onStarted, onRefused }: StartProps) {
  const { reason } = useCanWrite();
  const [asked, setAsked] = useState(false);
  const [create] = useState(creator);
  const blocked = estimate !== undefined && estimate.problems.length > 0;
  const start = useMutation({
    mutationFn: () =>
      create({ apiVersion: 'svc.dev/v1', kind: EXPERIMENT, metadata: { name: draft.name, namespace }, spec: specOfDraft(draft) }),
    onSuccess: () => onStarted(draft.name),
    onError: (failure) => {
      toastError(notStartedText(failure, 'experiment'), failure);
      setAsked(false);
    },
  });
  const text = JSON.stringify(draft);
  // The form that was submitted before its estimate arrived; a later change cancels it.
  const [pressed, setPressed] = useState<string>();
  const waits = pressed === text && error === null;
  const press = () => {
    if (!ready) return onRefused();
    if (!estimate) return setPressed(text);
    setPressed(undefined);
    if (blocked) return;
    if (estimate.runs > EXPERIMENT_RUNS_UNCONFIRMED_MAX || (estimate.cost_usd ?? 0) > 0) return setAsked(true);
    start.mutate();
  };
  const proceed = useEffectEvent(press);
  useEffect(() => {
    if (waits && estimate) proceed();
  }, [waits, estimate]);
  const sentence = estimate && estimateText(estimate);
  return (
    <div className="flex flex-col gap-3">
      {error !== null && <Refusal error={error} />}
      {blocked && <VariantProblems draft={draft} problems={estimate.problems} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          icon={<FlaskConical />}
          busy={start.isPending || waits}
          disabledReason={reason ?? (blocked ? 'A variant cannot run; see above' : undefined)}
          onClick={press}
        >
          {estimate ? `Start ${estimate.runs} ${estimate.runs === 1 ? 'run' : 'runs'}` : 'Start'}
        </Button>
        <p role="status" className="text-base text-muted">
          {sentence !== undefined && `${capitalized(sentence)}.`}
        </p>
        {kept && <span className="text-sm text-muted">Kept as a draft on this machine</span>}
      </div>
      <ConfirmDialog
        open={asked}
        busy={start.isPending}
        danger={false}
        title={`Start ${estimate?.runs ?? 0} runs?`}
        consequence={`${sentence ?? ''}. Its tools are called for real.`}
        confirmLabel="Start"
        cancelLabel="Not yet"
        onClose={() => setAsked(false)}
        onConfirm={() => start.mutate()}
      />
    </div>
  );
}

interface VariantProblemsProps {
  readonly draft: Draft;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Reasons why variants cannot run, by their names. */
function VariantProblems({ draft, problems }: VariantProblemsProps) {
  return (
    <Banner tone="danger">
      <ul className="flex flex-col gap-1">
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {draft.variants[Number(/\[(\d+)\]/.exec(path)?.[1])]?.name ?? path} {message}
          </li>
        ))}
      </ul>
    </Banner>
  );
}

function Refusal({ error }: { readonly error: Error }) {
  const { message, details } = problemOf(error);
  return (
    <Banner tone="danger">
      {details.length === 0
        ? message
        : details.map(({ path, message: problem }) => (
            <span key={`${path} ${problem}`} className="block">
              {path} {problem}
            </span>
          ))}
    </Banner>
  );
}
