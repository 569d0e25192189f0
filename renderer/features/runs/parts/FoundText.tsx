// The part of a run's text where a search was found, with its words marked. Always text, whatever it holds.
import { taskSearchTexts } from '@svc/shared/kinds/task/search-texts';
import { searchWords, snippetOf } from '@svc/shared/search-text';
import { useMemo } from 'react';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Run } from '../model/run.ts';

const PLACES: Readonly<Record<string, string>> = { name: 'Name', input: 'Input', output: 'Output', error: 'Error' };

export function FoundText({ run, search }: { readonly run: Run; readonly search: string }) {
  const snippet = useMemo(() => {
    const { metadata, spec, status } = run;
    return snippetOf(taskSearchTexts({ name: metadata.name, generation: metadata.generation, spec, status }), searchWords(search));
  }, [run, search]);
  if (!snippet) return <span className="text-faint">–</span>;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="w-12 shrink-0 text-sm text-muted">{PLACES[snippet.of] ?? snippet.of}</span>
      <span className="truncate">
        {snippet.parts.map(({ text, marked }, index) =>
          marked ? (
            <mark key={index} data-found className="rounded-xs bg-accent-soft px-px font-medium text-accent-text">
              <UntrustedText text={text} className="[overflow-wrap:normal]" />
            </mark>
          ) : (
            <UntrustedText key={index} text={text} className="[overflow-wrap:normal]" />
          ),
        )}
      </span>
    </span>
  );
}
