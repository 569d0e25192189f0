// A new Session: the person chooses a system, and the conversation begins.
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { FileCode2, GitBranch, MessagesSquare, Plus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { createAddress, kindAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { api } from '../../live/api.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { NameSearch } from '../../ui/table/NameSearch.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { StartSessionButton } from './parts/StartSessionButton.tsx';
import { SESSION } from './model/session.ts';
import { RowList } from '../../ui/table/RowList.tsx';
import { LoadingSkeleton } from '../../ui/feedback/Skeleton.tsx';

const PARAMS = { q: textParam };
const SYSTEM = 'AgentSystem';
const READ_MAX = 500;

export function NewSessionPage() {
  const { scope, home } = useScope();
  usePageTitle('New Session');
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <PageHeader
        crumbs={[{ label: 'Sessions', href: kindAddress(scope, SESSION) }]}
        title="New Session"
        meta={<span>Choose the system to talk with. The conversation is kept and survives restarts.</span>}
        actions={
          <LinkButton icon={<FileCode2 />} href={createAddress(home, SESSION, { tab: 'yaml' })}>
            Write it as YAML
          </LinkButton>
        }
      />
      <Systems />
    </div>
  );
}

function Systems() {
  const { namespace, home } = useScope();
  const [{ q }, setState] = useSearchState(PARAMS);
  const [name, setName] = useState('');
  const search = useCallback((text: string) => setState({ q: text }), [setState]);
  const input = { kind: SYSTEM, ...(namespace !== undefined && { namespace }), order: 'name' as const, limit: READ_MAX };
  const { data, error, isPending, refetch } = useQuery(api.resources.list.queryOptions(input));
  if (error !== null)
    return <ErrorCard className="m-6" title="The systems could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (isPending) return <LoadingSkeleton label="Loading the systems" className="gap-3 p-6" parts={['h-12 max-w-3xl', 'h-12 max-w-3xl']} />;
  if (data.items.length === 0)
    return (
      <EmptyState
        cause="none"
        icon={<MessagesSquare />}
        title="There is no system to talk with"
        action={
          <LinkButton variant="primary" icon={<Plus />} href={createAddress(home, SYSTEM)}>
            Create a system
          </LinkButton>
        }
      >
        A Session is a conversation with an agent system. Create one first.
      </EmptyState>
    );
  const shown = data.items.filter(({ metadata }) => metadata.name.toLowerCase().includes(q.trim().toLowerCase()));
  return (
    <div className="flex max-w-3xl flex-col gap-4 px-6 pb-6 max-sm:px-4">
      <Field label="Name of the Session" hint="Optional; it cannot be changed later." className="w-72">
        <Input value={name} placeholder="system-a1b2c3" onChange={(event) => setName(event.target.value)} />
      </Field>
      <div className="flex flex-wrap items-end justify-between gap-2">
        <h2 className="text-sm font-medium">System</h2>
        <NameSearch value={q} onChange={search} />
      </div>
      <RowList label="Systems" className="overflow-hidden rounded-lg border border-border bg-surface">
        {shown.map((system) => (
          <System key={`${system.metadata.namespace}/${system.metadata.name}`} system={system} sessionName={name.trim()} />
        ))}
        {shown.length === 0 && <li className="px-4 py-3 text-muted">No system has this name.</li>}
      </RowList>
      {data.continue !== undefined && (
        <p className="text-sm text-muted">{`Only the first ${READ_MAX} systems are listed. Choose a namespace to see the others.`}</p>
      )}
    </div>
  );
}

function System({ system, sessionName }: { readonly system: Resource; readonly sessionName: string }) {
  const { scope } = useScope();
  const { namespace, name, annotations } = system.metadata;
  const description = annotations['svc.dev/description'];
  // The row shows the name; assistive technology lists buttons without their rows.
  const label = (
    <>
      Chat<span className="sr-only"> with {name}</span>
    </>
  );
  return (
    <li className="flex items-center gap-3 border-b border-border/60 px-4 py-2.5 last:border-0">
      <GitBranch aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium [overflow-wrap:anywhere]">{scope === namespace ? name : `${namespace}/${name}`}</span>
        {description !== undefined && <UntrustedText text={description} className="block text-sm text-muted" />}
      </span>
      <StartSessionButton system={system.metadata} label={label} {...(sessionName !== '' && { sessionName })} />
    </li>
  );
}
