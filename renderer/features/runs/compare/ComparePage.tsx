// Two runs side by side.
import { ArrowLeftRight, FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { kindAddress, pageAddress } from '../../../navigation/addresses.ts';
import { usePageTitle } from '../../../navigation/page-title.ts';
import { useScope } from '../../../navigation/scope.ts';
import { textParam, useSearchState } from '../../../navigation/search-state.ts';
import { problemOf } from '../../../live/problem.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Comparison } from './Comparison.tsx';
import { RunPicker } from './RunPicker.tsx';
import { runKey, type Run } from '../model/run.ts';
import { readKey, useRunOfKey } from './use-compared-run.ts';
import type { RunRead } from '../model/use-run.ts';

const PARAMS = { left: textParam, right: textParam };

export function ComparePage() {
  usePageTitle('Compare runs');
  const { scope, home } = useScope();
  const [{ left, right }, setState] = useSearchState(PARAMS);
  const leftRef = readKey(left, home);
  const rightRef = readKey(right, home);
  const leftRead = useRunOfKey(leftRef);
  const rightRead = useRunOfKey(rightRef);
  const choose = (change: { left?: string; right?: string }) => setState(change, { push: true });
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader
        title="Compare runs"
        crumbs={[{ label: 'Runs', href: kindAddress(scope, 'Task') }, { label: 'Compare' }]}
        actions={
          leftRead.run && (
            <LinkButton
              icon={<FlaskConical />}
              href={pageAddress(leftRead.run.metadata.namespace, 'experiment', { system: leftRead.run.spec.system })}
            >
              Compare versions over cases
            </LinkButton>
          )
        }
      />
      <div className="sticky top-0 z-20 grid grid-cols-[1fr_auto_1fr] items-center gap-3 border-b border-border bg-bg px-6 pb-3 max-sm:grid-cols-[1fr_auto] max-sm:gap-2 max-sm:px-4">
        <RunPicker
          label="Left run"
          value={left}
          namespace={leftRef?.namespace ?? home}
          except={right}
          onChange={(key) => choose({ left: key })}
        />
        <IconButton
          label="Swap left and right"
          icon={<ArrowLeftRight />}
          variant="secondary"
          className="max-sm:row-span-2"
          onClick={() => choose({ left: right, right: left })}
        />
        <RunPicker
          label="Right run"
          value={right}
          namespace={rightRef?.namespace ?? home}
          except={left}
          onChange={(key) => choose({ right: key })}
        />
      </div>
      <Compared left={leftRef && leftRead} right={rightRef && rightRead} leftKey={left} rightKey={right} />
    </div>
  );
}

interface ComparedProps {
  readonly left: RunRead | undefined;
  readonly right: RunRead | undefined;
  readonly leftKey: string;
  readonly rightKey: string;
}

function Compared({ left, right, leftKey, rightKey }: ComparedProps) {
  if (!left || !right)
    return (
      <EmptyState cause="none" title="Choose two runs">
        Pick two runs of the same system, such as a run and its retry.
      </EmptyState>
    );
  const problems = [
    { read: left, key: leftKey },
    { read: right, key: rightKey },
  ].flatMap(({ read, key }) => (read.error === null ? [] : [<MissingRun key={key} read={read} name={key} />]));
  if (problems.length > 0) return <div className="flex flex-col gap-3 p-6">{problems}</div>;
  const whole = <Run extends { readonly run: unknown }>(read: Run) => (read.run === undefined ? undefined : read);
  const [a, b] = [whole(left), whole(right)];
  if (!a?.run || !b?.run) return <Skeleton className="m-6 h-64" />;
  return <BothRuns left={{ ...a, run: a.run }} right={{ ...b, run: b.run }} />;
}

function BothRuns({
  left,
  right,
}: {
  readonly left: RunRead & { readonly run: Run };
  readonly right: RunRead & { readonly run: Run };
}): ReactNode {
  if (runKey(left.run) === runKey(right.run))
    return (
      <EmptyState cause="none" title="Same run on both sides">
        Choose a different run on one side.
      </EmptyState>
    );
  return <Comparison key={`${left.run.metadata.uid} ${right.run.metadata.uid}`} left={left} right={right} />;
}

function MissingRun({ read, name }: { readonly read: RunRead; readonly name: string }) {
  if (problemOf(read.error).code === 'not_found')
    return (
      <EmptyState cause="none" title={`There is no run ${name}`}>
        It was deleted, or the address is wrong. Choose another run above.
      </EmptyState>
    );
  return <ErrorCard title={`The run ${name} could not be loaded`} error={read.error} onRetry={read.retry} />;
}
