// Result of each decision of a batch.
import { CircleCheck, CircleDashed, CircleHelp, TriangleAlert } from 'lucide-react';
import { cn } from '../../../ui/cn.ts';
import { Spinner } from '../../../ui/Spinner.tsx';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import { subjectOf } from '../model/approval.ts';
import type { BatchResult } from './use-batch.ts';

export function BatchResults({ results }: { readonly results: readonly BatchResult[] }) {
  return (
    <ol aria-live="polite" className="flex max-h-96 flex-col gap-1.5 overflow-auto">
      {results.map(({ approval, state, problem }) => (
        <li key={approval.uid} className="flex items-start gap-2 text-base">
          <span aria-hidden className="mt-0.5 [&_svg]:size-4">
            {state === 'done' && <CircleCheck className="text-ok" />}
            {state === 'waiting' && <CircleDashed className="text-faint" />}
            {state === 'sending' && <Spinner />}
            {state === 'refused' && <TriangleAlert className="text-danger" />}
            {state === 'unknown' && <CircleHelp className="text-warn" />}
            {state === 'unsent' && <CircleDashed className="text-warn" />}
          </span>
          <span className="min-w-0 flex-1">
            <UntrustedText text={`${subjectOf(approval)} · ${approval.task.name}`} />
            <span className="sr-only"> {state}</span>
            {problem !== undefined && (
              <span className={cn('block text-sm', state === 'refused' ? 'text-danger' : 'text-warn')}>
                <UntrustedText text={problem} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
