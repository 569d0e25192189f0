// Reason why the run list has no rows.
import { searchProblem } from '@svc/shared/search-text';
import { guideAddress, kindAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../../ui/feedback/LoadFailure.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { NewTemplate } from './NewTemplate.tsx';
import type { RunListState } from './run-list-input.ts';

export interface RunsEmptyProps {
  readonly scope: string;
  /** Null when the list was loaded. */
  readonly error: unknown;
  readonly filtered: boolean;
  readonly mode: RunListState['mode'];
  /** Words of a search, empty without one. */
  readonly search: string;
  readonly onRetry: () => void;
  readonly onClear: () => void;
}

export function RunsEmpty({ scope, error, filtered, mode, search, onRetry, onClear }: RunsEmptyProps) {
  const clear = <Button onClick={onClear}>Clear search and filters</Button>;
  const problem = search === '' ? undefined : searchProblem(search);
  if (problem !== undefined)
    return (
      <EmptyState cause="filtered" title="Nothing to search for" action={clear}>
        The search {problem}.
      </EmptyState>
    );
  if (error !== null)
    return (
      <LoadFailure
        error={error}
        title="The runs could not be loaded"
        forbidden="You may not see runs"
        onRetry={onRetry}
        className="mx-auto max-w-2xl"
      />
    );
  if (search !== '')
    return (
      <EmptyState cause="filtered" title="No run has these words" action={clear}>
        All words must be in the name, input, output or error of one run. Outputs and errors are found once a run has ended.
      </EmptyState>
    );
  if (filtered)
    return (
      <EmptyState cause="filtered" title="No runs match these filters" action={<Button onClick={onClear}>Clear the filters</Button>}>
        Remove a filter or switch namespace.
      </EmptyState>
    );
  if (mode === 'templates')
    return (
      <EmptyState cause="none" title="No templates" action={<NewTemplate scope={scope} />}>
        Schedules and webhooks create runs from templates. A template is a Task with mode: template.
      </EmptyState>
    );
  return (
    <EmptyState
      cause="none"
      title="No runs yet"
      guide={<Link href={guideAddress(scope, 'concepts')}>Guide to runs and their parts</Link>}
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
