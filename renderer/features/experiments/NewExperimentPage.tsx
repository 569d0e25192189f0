// A new experiment: system, cases, variants, and what it would take, asked before it starts.
import { useQuery } from '@tanstack/react-query';
import { FileCode2, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { EXPERIMENT_RUNS_ASKED } from '@svc/shared/kinds/experiment/limits';
import { createAddress, kindAddress, objectAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { specOf } from '../../kinds/read.ts';
import { api, client } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Field } from '../../ui/Field.tsx';
import { Input } from '../../ui/Input.tsx';
import { LinkButton } from '../../ui/LinkButton.tsx';
import { useNavigation } from '../../ui/navigation.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Section } from '../../ui/Section.tsx';
import { Select } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toastError } from '../../ui/toast.ts';
import { emptyDraft, problemsOf, specOfDraft, type Draft } from './model/draft.ts';
import { estimateText, useEstimate, type EstimateRead } from './model/use-estimate.ts';
import { CasesField } from './parts/CasesField.tsx';
import { VariantsField } from './parts/VariantsField.tsx';
import { Form } from '../../ui/Form.tsx';

const KIND = 'Experiment';
const SYSTEM = 'AgentSystem';
const SYSTEMS_MAX = 500;
const PARAMS = { system: textParam, agent: textParam };

export function NewExperimentPage() {
  const { scope, home } = useScope();
  usePageTitle('New experiment');
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <PageHeader
        crumbs={[{ label: 'Experiments', href: kindAddress(scope, KIND) }, { label: 'New' }]}
        title="New experiment"
        meta={<span>Runs cases with several versions of the definitions, as trials. Outputs stand side by side.</span>}
        actions={
          <LinkButton icon={<FileCode2 />} href={createAddress(home, KIND, { tab: 'yaml' })}>
            Write it as YAML
          </LinkButton>
        }
      />
      <Systems />
    </div>
  );
}

function Systems() {
  const { home } = useScope();
  const [start] = useSearchState(PARAMS);
  const { data, error, isPending, refetch } = useQuery(
    api.resources.list.queryOptions({ kind: SYSTEM, namespace: home, order: 'name', limit: SYSTEMS_MAX }),
  );
  if (error !== null)
    return <ErrorCard className="m-6" title="The systems could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton className="m-6 h-40" />;
  const systems = data.items.map((system) => ({ name: system.metadata.name, agents: specOf(SYSTEM, system).agents ?? [] }));
  const fitting = systems.filter(({ agents }) => start.agent === '' || agents.includes(start.agent));
  const first = fitting.find(({ name }) => name === start.system) ?? (start.system === '' ? fitting[0] : undefined);
  if (systems.length === 0)
    return (
      <EmptyState
        cause="none"
        icon={<FlaskConical />}
        title="There is no system to run"
        action={
          <LinkButton variant="primary" href={createAddress(home, SYSTEM)}>
            Create a system
          </LinkButton>
        }
      >
        An experiment runs an agent system over cases. Create one first.
      </EmptyState>
    );
  return <ExperimentForm systems={systems} first={first?.name ?? ''} namespace={home} />;
}

export interface SystemChoice {
  readonly name: string;
  readonly agents: readonly string[];
}

interface ExperimentFormProps {
  readonly systems: readonly SystemChoice[];
  readonly first: string;
  readonly namespace: string;
}

function ExperimentForm({ systems, first, namespace }: ExperimentFormProps) {
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(first));
  const [shown, setShown] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const problems = problemsOf(draft);
  const seen = shown ? problems : new Map<string, string>();
  // A name is needed to start, not to estimate.
  const ready = [...problems.keys()].every((field) => field === 'name');
  const read = useEstimate(namespace, specOfDraft(draft), ready);
  const agents = systems.find(({ name }) => name === draft.system)?.agents ?? [];
  const amount = (field: 'repeats' | 'parallelism' | 'maxTokens', label: string, hint: string) => (
    <Field label={label} hint={hint} error={problems.get(field)} className="w-52">
      <Input inputMode="numeric" value={draft[field]} onChange={(event) => change({ [field]: event.target.value })} />
    </Field>
  );
  return (
    <Form
      className="flex max-w-5xl flex-col gap-6 px-6 pb-8 max-sm:px-4"
      onSubmit={(event) => {
        event.preventDefault();
        setShown(true);
      }}
    >
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
            onChange={(system) => setDraft({ ...emptyDraft(system), name: draft.name })}
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
          {amount('maxTokens', 'Budget of tokens', 'No run begins once it is used. Needed above 100 runs.')}
        </div>
      </Section>
      <Start {...{ draft, namespace, read, ready: problems.size === 0 }} onRefused={() => setShown(true)} />
    </Form>
  );
}

interface StartProps {
  readonly draft: Draft;
  readonly namespace: string;
  readonly read: EstimateRead;
  readonly ready: boolean;
  /** Somebody tried to start a form with problems. */
  readonly onRefused: () => void;
}

function Start({ draft, namespace, read: { estimate, error }, ready, onRefused }: StartProps) {
  const { reason } = useCanWrite();
  const { go } = useNavigation();
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const blocked = estimate !== undefined && estimate.problems.length > 0;
  const start = async () => {
    setBusy(true);
    try {
      const body = { apiVersion: 'svc.dev/v1', kind: KIND, metadata: { name: draft.name, namespace }, spec: specOfDraft(draft) };
      await client.resources.write.mutate({ kind: KIND, namespace, mode: 'create', body });
      go(objectAddress({ kind: KIND, namespace, name: draft.name }));
    } catch (failure) {
      toastError('The experiment was not started', failure);
      setBusy(false);
      setAsked(false);
    }
  };
  const press = () => {
    if (!ready || !estimate) return onRefused();
    if (estimate.runs > EXPERIMENT_RUNS_ASKED || (estimate.cost_usd ?? 0) > 0) return setAsked(true);
    void start();
  };
  const sentence = estimate && estimateText(estimate);
  return (
    <div className="flex flex-col gap-3">
      {error !== null && <Refusal error={error} />}
      {blocked && (
        <Banner tone="danger">
          <ul className="flex flex-col gap-1">
            {estimate.problems.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {draft.variants[Number(/\[(\d+)\]/.exec(path)?.[1])]?.name ?? path} {message}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          icon={<FlaskConical />}
          busy={busy}
          disabledReason={reason ?? (blocked ? 'A variant cannot run; see above' : undefined)}
          onClick={press}
        >
          {estimate ? `Start ${estimate.runs} ${estimate.runs === 1 ? 'run' : 'runs'}` : 'Start'}
        </Button>
        <p role="status" className="text-base text-muted">
          {sentence !== undefined && `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`}
        </p>
      </div>
      <ConfirmDialog
        open={asked}
        busy={busy}
        danger={false}
        title={`Start ${estimate?.runs ?? 0} runs?`}
        consequence={`${sentence ?? ''}. Its tools are called for real.`}
        confirmLabel="Start"
        cancelLabel="Not yet"
        onClose={() => setAsked(false)}
        onConfirm={() => void start()}
      />
    </div>
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
