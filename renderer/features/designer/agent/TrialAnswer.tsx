// The answer to a trial: the model's text with its metrics, or a plain sentence about why there is none.
import { CircleCheck, CircleX } from 'lucide-react';
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { formatCost, formatDuration } from '../../../ui/status/format.ts';
import type { Trial } from './use-trial.ts';
import { failureSentence } from './vendors.ts';

export interface TrialAnswerProps {
  readonly trial: Trial;
  /** Whether the text of the answer is shown, not only that one came. */
  readonly content: boolean;
}

function Failed({ sentence, detail }: { readonly sentence: string; readonly detail: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-danger/35 bg-danger-soft px-3 py-2">
      <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p>{sentence}</p>
        <UntrustedText text={detail} className="text-sm text-muted" />
      </div>
    </div>
  );
}

export function TrialAnswer({ trial, content }: TrialAnswerProps) {
  const { busy, answer, error } = trial;
  return (
    <div role="status" className="flex min-w-0 flex-col gap-2">
      {busy && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <Spinner className="size-3.5" /> Waiting for the model, at most a minute
          {!content && (
            <Button size="sm" variant="ghost" onClick={trial.stop}>
              Stop
            </Button>
          )}
        </p>
      )}
      {error !== undefined && <Failed sentence="The server could not try this model." detail={problemOf(error).message} />}
      {answer?.ok === false && <Failed sentence={failureSentence(answer.code)} detail={answer.message} />}
      {answer?.ok === true && (
        <>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
            <CircleCheck aria-hidden className="size-4 text-ok" />
            <span className="text-text">
              <UntrustedText text={answer.model} /> answered in {formatDuration(answer.latencyMs)}
            </span>
            <span>
              {answer.inputTokens} in, {answer.outputTokens} out
              {answer.costUsd !== undefined && `, ${formatCost(answer.costUsd)}`}
            </span>
          </p>
          {content && (
            <div
              tabIndex={0}
              role="region"
              aria-label="Answer of the model"
              className="max-h-72 overflow-auto rounded-md border border-border bg-surface p-3 text-base"
            >
              <UntrustedText block text={answer.content === '' ? 'The answer is empty.' : answer.content} />
              {answer.truncated && <p className="mt-2 text-sm text-muted">The rest is not shown.</p>}
            </div>
          )}
        </>
      )}
    </div>
  );
}
