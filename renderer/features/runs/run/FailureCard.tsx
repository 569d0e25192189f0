// First card on the page of a failed run: the failure, its cause, and advice. An end that a person chose is not a failure.
import { CircleAlert, CircleSlash } from 'lucide-react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { cn } from '../../../ui/cn.ts';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useMemo } from 'react';
import { adviceFor } from './failure-advice.ts';
import { causeChain, type CauseLink } from './cause-chain.ts';
import { phaseOf, wasStopped } from '../model/run.ts';
import { spanAt } from './use-failing-span.ts';
import type { RunPartProps } from './RunPage.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

const MESSAGE_CHARS = 2_000;

export function FailureCard({ run, scope, trace }: RunPartProps) {
  const { store, version } = trace;
  const { reason, lastError, cancelledBy, completedAt } = run.status;
  const { title, happened, attempts } = adviceFor(reason);
  const causes = useMemo(() => (version >= 0 ? causeChain(store.entries) : []), [store, version]);
  // A failed call is named in place of its code.
  const call = reason === 'execution_failed' ? causes[0]?.title : undefined;
  const stopped = wasStopped(run);
  const Icon = stopped ? CircleSlash : CircleAlert;
  return (
    <section
      aria-labelledby="failure-title"
      tabIndex={0}
      className={cn(
        '@container max-h-[max(13rem,30vh)] min-w-0 overflow-auto rounded-lg border bg-surface shadow-raised',
        stopped ? 'border-border-strong' : 'border-danger/35',
      )}
    >
      <div className="flex gap-3 p-4">
        <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', stopped ? 'text-muted' : 'text-danger')} />
        <div className="grid min-w-0 flex-1 content-start gap-x-8 gap-y-3 @2xl:grid-cols-[3fr_2fr]">
          <div className="min-w-0">
            <h2 id="failure-title" className="flex flex-wrap items-baseline gap-x-2 font-semibold">
              <span>
                {call ?? title}
                {stopped && cancelledBy !== undefined && (
                  <>
                    {' by '}
                    <UntrustedText text={cancelledBy} />
                  </>
                )}
              </span>
              {stopped && <Time at={completedAt} sentence className="text-sm font-normal text-muted" />}
              {reason !== undefined && !stopped && <Mono className="font-normal text-muted">{reason}</Mono>}
            </h2>
            {call === undefined && <p className="mt-0.5 text-pretty text-muted">{happened}</p>}
            {lastError !== undefined && (
              <p className={cn('mt-1.5 rounded-md px-3 py-1.5 text-text', stopped ? 'bg-neutral-soft' : 'bg-danger-soft')}>
                <UntrustedText block text={beginningOf(lastError, MESSAGE_CHARS)} />
              </p>
            )}
            {causes.length > 0 && !stopped && (
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
    <ol aria-label="Causes" className="mt-1.5 flex flex-col gap-1 border-l-2 border-danger/40 pl-3">
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
