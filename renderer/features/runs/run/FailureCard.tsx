// First card on the page of a failed run: the failure, its cause, and advice.
import { CircleAlert } from 'lucide-react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { Link } from '../../../ui/Link.tsx';
import { Mono } from '../../../ui/Mono.tsx';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import { useMemo } from 'react';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { adviceFor } from './failure-advice.ts';
import { causeChain, type CauseLink } from './cause-chain.ts';
import { phaseOf, type Run } from '../model/run.ts';

export interface FailureCardProps {
  readonly run: Run;
  readonly scope: string;
  readonly trace: RunTrace;
}

const MESSAGE_CHARS = 2_000;

export function FailureCard({ run, scope, trace }: FailureCardProps) {
  const { store, version } = trace;
  const { reason, lastError } = run.status;
  const { title, happened, attempts } = adviceFor(reason);
  const causes = useMemo(() => (version >= 0 ? causeChain(store.entries) : []), [store, version]);
  return (
    <section
      aria-labelledby="failure-title"
      className="mx-6 mt-4 shrink-0 rounded-lg border border-danger/35 bg-surface shadow-raised max-sm:mx-4"
    >
      <div className="flex gap-3 p-4">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
        <div className="grid min-w-0 flex-1 gap-x-8 gap-y-3 lg:grid-cols-[3fr_2fr]">
          <div className="min-w-0">
            <h2 id="failure-title" className="flex flex-wrap items-baseline gap-x-2 font-semibold">
              {title}
              {reason !== undefined && <Mono className="font-normal text-muted">{reason}</Mono>}
            </h2>
            <p className="mt-0.5 text-pretty text-muted">{happened}</p>
            {lastError !== undefined && (
              <p className="mt-2 max-h-32 overflow-auto rounded-md bg-danger-soft px-3 py-2 text-text">
                <UntrustedText block text={lastError.slice(0, MESSAGE_CHARS)} />
              </p>
            )}
            {causes.length > 0 && (
              <Causes
                causes={causes}
                message={lastError}
                hrefOf={(place) => objectAddress({ kind: 'Task', ...run.metadata }, scope, { span: spanAt(trace, place) })}
              />
            )}
          </div>
          <div>
            <h3 className="text-sm font-medium text-muted">Next steps</h3>
            <ul className="mt-1 flex list-disc flex-col gap-1 pl-4 text-pretty">
              {attempts.map((each) => (
                <li key={each}>{each}</li>
              ))}
              {phaseOf(run) === 'DeadLetter' && run.spec.retry.max_attempts <= 1 && reason !== 'contract_violation' && (
                <li>Only 1 attempt was allowed. Raise spec.retry.max_attempts for more.</li>
              )}
            </ul>
          </div>
        </div>
      </div>
    </section>
  );
}

interface CausesProps {
  readonly causes: readonly CauseLink[];
  /** Message of the whole failure, which the chain does not repeat. */
  readonly message: string | undefined;
  readonly hrefOf: (place: number) => string;
}

/** Errors from the first one to the one that ended the run. */
function Causes({ causes, message, hrefOf }: CausesProps) {
  return (
    <ol aria-label="Causes" className="mt-3 flex flex-col gap-1 border-l-2 border-danger/40 pl-3">
      {causes.map((cause) => (
        <li key={cause.id} className="min-w-0 text-sm">
          <Link href={hrefOf(cause.id)} className="font-medium">
            {cause.where}
          </Link>{' '}
          <Mono className="text-muted">{cause.code}</Mono>
          {cause.message !== message && (
            <>
              {' '}
              <UntrustedText text={cause.message.slice(0, 300)} />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The innermost span of the entry at this place. */
function spanAt({ store }: RunTrace, place: number): string | undefined {
  return store.fold.spans.findLast(({ entries }) => entries.includes(place))?.id;
}
