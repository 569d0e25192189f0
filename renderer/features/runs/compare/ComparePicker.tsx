// Chooses the run to compare with: retries and newer runs of the same system are one press away.
import { useQuery } from '@tanstack/react-query';
import { parseRef } from '@svc/shared/resource';
import { compareAddress } from '../../../navigation/addresses.ts';
import { api } from '../../../live/api.ts';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { RunPicker } from './RunPicker.tsx';
import { asRun, outcomeOf, runKey, TASK, type Run } from '../model/run.ts';

const OFFERED = 12;

export function ComparePicker({ run, scope, onClose }: { readonly run: Run; readonly scope: string; readonly onClose: () => void }) {
  const navigation = useNavigation();
  const { namespace } = run.metadata;
  const query = useQuery(
    api.resources.list.queryOptions({
      kind: TASK,
      namespace,
      fieldSelector: `spec.system=${run.spec.system},spec.mode=run`,
      order: '-createdAt',
      limit: OFFERED,
    }),
  );
  const others = query.data?.items.map(asRun).filter((each) => runKey(each) !== runKey(run));
  const choose = (key: string) => {
    if (key === '') return;
    onClose();
    navigation.go(compareAddress(scope, { kind: TASK, ...run.metadata }, { kind: TASK, ...parseRef(key, namespace) }));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Compare ${run.metadata.name} with…`}
      description="Graph, stats, messages and output side by side."
    >
      <RunPicker label="Run to compare with" value="" namespace={namespace} except={runKey(run)} onChange={choose} />
      <h3 className="mt-4 mb-1 text-sm font-medium text-muted">Runs of {run.spec.system}</h3>
      <QueryState query={query} title="The runs could not be loaded" skeleton="h-20" />
      {others?.length === 0 && <p className="text-base text-muted">No other runs.</p>}
      <ul className="flex flex-col">
        {others?.map((each) => (
          <li key={runKey(each)}>
            <button
              type="button"
              onClick={() => choose(runKey(each))}
              className="flex h-8 w-full items-center gap-3 rounded-md px-2 text-left hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{each.metadata.name}</span>
              <PhasePill phase={outcomeOf(each)} look="quiet" />
              <span className="min-w-10 shrink-0 text-right text-sm text-muted">
                <Time at={each.metadata.createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
