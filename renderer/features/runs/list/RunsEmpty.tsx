// Reason why the run list has no rows.
import { kindAddress } from '../../../navigation/addresses.ts';
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/Button.tsx';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { ErrorCard } from '../../../ui/ErrorCard.tsx';
import { LinkButton } from '../../../ui/LinkButton.tsx';
import type { RunListState } from './run-list-input.ts';

export interface RunsEmptyProps {
  readonly scope: string;
  /** Null when the list was loaded. */
  readonly error: unknown;
  readonly filtered: boolean;
  readonly mode: RunListState['mode'];
  readonly onRetry: () => void;
  readonly onClear: () => void;
}

export function RunsEmpty({ scope, error, filtered, mode, onRetry, onClear }: RunsEmptyProps) {
  if (error !== null) {
    const { code, message } = problemOf(error);
    if (code === 'forbidden')
      return (
        <EmptyState cause="forbidden" title="You may not see runs">
          {message}
        </EmptyState>
      );
    return <ErrorCard title="The runs could not be loaded" error={error} onRetry={onRetry} className="mx-auto max-w-2xl" />;
  }
  if (filtered)
    return (
      <EmptyState cause="filtered" title="No runs match these filters" action={<Button onClick={onClear}>Clear the filters</Button>}>
        Remove a filter or switch namespace.
      </EmptyState>
    );
  if (mode === 'templates')
    return (
      <EmptyState cause="none" title="No templates">
        A task with mode: template does not run. Schedules and webhooks create runs from it.
      </EmptyState>
    );
  return (
    <EmptyState
      cause="none"
      title="No runs yet"
      action={
        <LinkButton variant="primary" href={kindAddress(scope, 'AgentSystem')}>
          Choose a system to run
        </LinkButton>
      }
      sample={
        <CodeBlock
          label="Command that runs a system"
          text={`npx svcctl${scope === '-' ? '' : ` -n ${scope}`} run SYSTEM -i topic="the sea"`}
        />
      }
    >
      A run is one execution of an agent system. It appears here when it is created.
    </EmptyState>
  );
}
