// Reason why a list has no rows, with the next action.
import { FileUp, Plus } from 'lucide-react';
import { createAddress, guideAddress, pageAddress } from '../../../navigation/addresses.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { useConnection } from '../../../live/connection.ts';
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../../ui/feedback/LoadFailure.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { useBlueprintsWith } from '../blueprints.ts';
import { isCreatedByService } from '../object-traits.ts';
import { aKind, kindWord } from '../object-text.ts';
import { isFiltered, NO_FILTERS, type ListState } from './list-state.ts';

export interface ListEmptyProps {
  readonly kind: KindSummary;
  readonly state: ListState;
  readonly home: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onChange: (change: Partial<ListState>) => void;
}

export function ListEmpty({ kind, state, home, error, onRetry, onChange }: ListEmptyProps) {
  const { phase } = useConnection();
  const many = kindWord(kind.kind, 2);
  const clear = <Button onClick={() => onChange(NO_FILTERS)}>Clear filters</Button>;
  if (error != null) {
    const { code, message } = problemOf(error);
    if (code === 'invalid' && isFiltered(state)) {
      return (
        <EmptyState cause="filtered" title="These filters are not valid" action={clear}>
          {message}
        </EmptyState>
      );
    }
    return (
      <LoadFailure
        error={error}
        title={`The ${many} could not be loaded`}
        forbidden={`You may not see ${many}`}
        onRetry={onRetry}
        className="mx-auto max-w-2xl"
      />
    );
  }
  if (phase === 'offline') {
    return (
      <EmptyState cause="offline" title="Not connected">
        The list appears when the server answers again.
      </EmptyState>
    );
  }
  if (isFiltered(state)) {
    return (
      <EmptyState cause="filtered" title={`No ${many} match these filters`} action={clear}>
        Remove a filter or switch namespace.
      </EmptyState>
    );
  }
  return <NothingYet kind={kind} home={home} />;
}

function NothingYet({ kind, home }: Pick<ListEmptyProps, 'kind' | 'home'>) {
  const { allowed, reason } = useCanWrite();
  const creatable = !isCreatedByService(kind.kind);
  const fitting = useBlueprintsWith(kind.kind);
  const samples = creatable ? fitting : [];
  return (
    <EmptyState
      cause="none"
      title={`No ${kindWord(kind.kind, 2)} yet`}
      guide={<Link href={guideAddress(home, `reference/kinds/${kind.plural}`)}>Guide to {kindWord(kind.kind, 2)}</Link>}
      action={
        creatable &&
        allowed && (
          <LinkButton variant="primary" icon={<Plus />} href={createAddress(home, kind.kind)}>
            Create {aKind(kind.kind)}
          </LinkButton>
        )
      }
      sample={
        allowed &&
        samples.length > 0 && (
          <Card title="Or open a sample" flush>
            <ul>
              {samples.map(({ id, title, summary }) => (
                <li key={id} className="flex items-center gap-3 border-b border-border/60 px-4 py-2 last:border-0">
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{title}</span>
                    <span className="block text-sm text-muted">{summary}</span>
                  </span>
                  <LinkButton size="sm" icon={<FileUp />} href={pageAddress(home, 'import', { sample: id })}>
                    Open
                  </LinkButton>
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    >
      {creatable
        ? (reason ?? 'Create one, or drop YAML files on this page to import them.')
        : `The server creates ${kindWord(kind.kind, 2)}. They appear here.`}
    </EmptyState>
  );
}
