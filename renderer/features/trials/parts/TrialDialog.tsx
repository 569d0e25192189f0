// Starts a trial from an earlier run: a part of its system again, a pinned output, or breakpoints, with its input.
import { useMutation, useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { readSystem } from '../../../graph/read-system.ts';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { creator, type NewObject } from '../../../live/creator.ts';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useGoOn } from '../../../navigation/own-location.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { notStartedText } from '../../runs/model/not-started-text.ts';
import { systemOf, TASK, type Run } from '../../runs/model/run.ts';
import { trialProblem, trialSpecOf, type TrialDraft, type TrialScope } from '../model/trial-draft.ts';
import { trialOfRun } from '../model/trial-of-run.ts';
import { trialText } from '../model/trial-text.ts';
import { useEarlierRuns } from '../model/use-earlier-runs.ts';
import { TrialFields } from './TrialFields.tsx';
import { Form } from '../../../ui/input/Form.tsx';

export interface TrialStart {
  readonly draft: TrialDraft;
  readonly scope: TrialScope;
}

export interface TrialDialogProps {
  readonly run: Run;
  readonly scope: string;
  readonly start: TrialStart;
  readonly onClose: () => void;
}

/** Agents of the system as it is now. */
function useNodes(run: Run): readonly string[] | undefined {
  const { data } = useQuery(api.resources.get.queryOptions(systemOf(run)));
  return useMemo(() => data && readSystem(specOf('AgentSystem', data)).agents, [data]);
}

export function TrialDialog({ run, scope: shell, start, onClose }: TrialDialogProps) {
  const nodes = useNodes(run);
  const { namespace, name } = run.metadata;
  const { names } = useEarlierRuns(namespace, run.spec.system);
  const runs = { names: names.includes(name) ? names : [name, ...names], best: name };
  const [draft, setDraft] = useState(start.draft);
  const [scope, setScope] = useState(start.scope);
  const { reason } = useCanWrite();
  const goOn = useGoOn();
  const spec = trialSpecOf(draft, scope);
  const [create] = useState(creator);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: NewObject) => create(body, body.spec),
    onSuccess: ({ metadata }) => {
      onClose();
      goOn(objectAddress({ kind: TASK, ...metadata }, shell));
      toastDone(`Started ${metadata.name}`);
    },
  });
  const unset = spec === undefined ? 'Set a breakpoint, pin an output or choose a part first' : undefined;
  const blocked = reason ?? unset ?? (nodes === undefined ? undefined : trialProblem(draft, scope, nodes));
  const submit = () => {
    if (spec !== undefined && blocked === undefined && !isPending) mutate(trialOfRun(run, spec, new Date()));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!isPending}
      size="lg"
      title={`New trial of ${run.spec.system}`}
      description={`With the input of ${name} and the current definitions${spec === undefined ? '' : `: ${trialText(spec)}`}.`}
    >
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <TrialFields nodes={nodes ?? []} runs={runs} draft={draft} onDraft={setDraft} scope={scope} onScope={setScope} />
        {error !== null && <ErrorCard title={notStartedText(error)} error={error} />}
        <div className="sticky -bottom-4 z-10 -mx-5 -mb-4 flex justify-end gap-2 border-t border-border bg-raised px-5 py-3">
          <Button onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button data-autofocus type="submit" variant="primary" icon={<FlaskConical />} busy={isPending} disabledReason={blocked}>
            Start the trial
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
