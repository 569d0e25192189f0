// Starts a run of the system from its canvas.
import { Play } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { api, client } from '../../../live/api.ts';
import { Banner } from '../../../ui/Banner.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { ErrorCard } from '../../../ui/ErrorCard.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Input } from '../../../ui/Input.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { useCases } from './cases.ts';
import { RunInput, type Inputs } from './RunInput.tsx';
import { firstRows, pastInputs, runName, taskOf, type InputRow, type PastInput } from './run-input.ts';

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
}

const LOOKED_AT = 40;
const TURNS_FIRST = 10;
const PRIORITIES = ['low', 'normal', 'high', 'critical'].map((value) => ({ value, label: value }));
export function RunDialog(props: RunDialogProps) {
  const { open, onClose, system, namespace } = props;
  const title = system === '' ? 'Run the new system' : `Run ${system}`;
  const input = { kind: 'Task', namespace, fieldSelector: `spec.system=${system}`, order: '-createdAt', limit: LOOKED_AT } as const;
  const { data, isPending } = useQuery({ ...api.resources.list.queryOptions(input), enabled: open });
  const past = useMemo(() => pastInputs(data?.items ?? []), [data]);
  return (
    <Dialog open={open} onClose={onClose} title={title} size="md">
      {open && (isPending ? <Skeleton className="h-40 w-full" /> : <RunForm {...props} past={past} />)}
    </Dialog>
  );
}

function useStart({ namespace, system, changes, prepare, onStarted }: RunDialogProps) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const start = async (request: {
    readonly name: string;
    readonly rows: readonly InputRow[];
    readonly priority: string;
    readonly maxTurns: number;
  }) => {
    setBusy(true);
    setError(undefined);
    try {
      if (changes !== undefined && !(await prepare())) return setBusy(false);
      const body = taskOf({ ...request, namespace, system });
      const { resource } = await client.resources.write.mutate({ kind: 'Task', namespace, mode: 'create', body });
      onStarted(resource.metadata.name);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return { error, busy, start };
}

function RunForm(props: RunDialogProps & { readonly past: readonly PastInput[] }) {
  const { namespace, onClose, system, cycle, changes, past } = props;
  const cases = useCases(namespace, system);
  const canWrite = useCanWrite();
  const [inputs, setInputs] = useState<Inputs>(() => ({ rows: firstRows(past), problem: undefined }));
  const [name, setName] = useState(() => runName(system, new Date()));
  const [priority, setPriority] = useState('normal');
  const [turns, setTurns] = useState(cycle ? String(TURNS_FIRST) : '');
  const { error, busy, start } = useStart(props);
  const maxTurns = Math.max(0, Math.trunc(Number(turns)) || 0);
  const unbound = cycle !== undefined && maxTurns === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (inputs.problem === undefined && !unbound) void start({ name, rows: inputs.rows, priority, maxTurns });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {changes !== undefined && (
        <Banner tone="info" className="rounded-md">
          This first applies {changes}, as one transaction. To look at the changes before, review them below the canvas.
        </Banner>
      )}
      <RunInput past={past} cases={cases} inputs={inputs} onChange={setInputs} />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Field label="Name of the run">
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Priority">
          <Select value={priority} options={PRIORITIES} onChange={setPriority} />
        </Field>
      </div>
      {cycle && (
        <Field
          label="Turns at most"
          required
          hint={`The system has a loop, ${[...cycle, cycle[0]].join(' → ')}. A run ends after this many turns on one branch.`}
          error={unbound ? 'A loop needs a bound above 0' : undefined}
        >
          <Input type="number" min={1} value={turns} onChange={(event) => setTurns(event.target.value)} />
        </Field>
      )}
      {error !== undefined && <ErrorCard title="The run could not be started" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose} disabled={busy}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="primary"
          icon={<Play />}
          busy={busy}
          disabledReason={canWrite.reason ?? (system === '' ? 'Name the system first' : undefined)}
        >
          {changes === undefined ? 'Run' : 'Apply and run'}
        </Button>
      </div>
    </form>
  );
}
