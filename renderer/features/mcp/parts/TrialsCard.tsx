// Trials of an MCP server's tools: their runs, each removable with its system, agent and model. Absent while there are none.
import type { Resource } from '@svc/shared/resource';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { api, client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { TRIAL_LABEL, TRIAL_TOOL, trialObjects } from '@svc/shared/mcp-trial';

const SHOWN = 20;

export function TrialsCard({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const { data, error, refetch } = useQuery(
    api.resources.list.queryOptions({
      kind: 'Task',
      namespace,
      labelSelector: `${TRIAL_LABEL}=${name}`,
      order: '-createdAt',
      limit: SHOWN,
    }),
  );
  if (error !== null && !data) return <ErrorCard title="The trials could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Card flush title="Trials" description={`The newest ${SHOWN}. Removing one deletes its run, system, agent and model.`}>
      <ul aria-label="Trials, newest first">
        {data.items.map((run) => (
          <TrialRow key={run.metadata.uid} run={run} />
        ))}
      </ul>
    </Card>
  );
}

function TrialRow({ run }: { readonly run: Resource }) {
  const { namespace, name, annotations, createdAt } = run.metadata;
  const { scope } = useScope();
  const { reason } = useCanWrite();
  const remove = useMutation({
    mutationFn: async () => {
      for (const object of trialObjects({ namespace, name })) await removeIfPresent(object);
    },
    onSuccess: () => toastDone(`Trial ${name} is removed`),
    onError: (error) => toastError('The trial was not removed', error),
  });
  return (
    <li className="grid grid-cols-[9rem_minmax(0,1fr)_minmax(0,1fr)_6rem_auto] items-center gap-x-3 border-b border-border/60 px-4 py-1.5 last:border-b-0 max-sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <span>
        <StatePill kind="Task" status={run.status} />
      </span>
      <PeekLink object={{ kind: 'Task', namespace, name }} scope={scope} className="min-w-0 truncate font-mono text-sm underline">
        {name}
      </PeekLink>
      <span className="min-w-0 truncate font-mono text-sm max-sm:hidden">{annotations[TRIAL_TOOL]}</span>
      <span className="text-sm text-muted max-sm:hidden">
        <Time at={createdAt} sentence />
      </span>
      <IconButton
        size="sm"
        label={`Remove trial ${name}`}
        icon={<Trash2 />}
        disabled={remove.isPending || remove.isSuccess}
        disabledReason={reason}
        onClick={() => remove.mutate()}
      />
    </li>
  );
}

async function removeIfPresent(object: { readonly kind: string; readonly namespace: string; readonly name: string }): Promise<void> {
  try {
    await client.resources.remove.mutate(object);
  } catch (error) {
    if (problemOf(error).code !== 'not_found') throw error;
  }
}
