// Changes of an input: before and after, place by place.
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Edit } from './edits.ts';

export function EditsList({ edits }: { readonly edits: readonly Edit[] }) {
  return (
    <ul aria-label="Edited fields" className="flex flex-col gap-1.5">
      {edits.map(({ path, before, after }) => (
        <li key={path} className="rounded-md border border-border bg-sunken px-3 py-1.5 font-mono text-sm">
          <span className="text-muted">{path === '' ? 'the whole input' : <UntrustedText text={path} />}</span>
          {before !== undefined && (
            <del className="block text-danger decoration-danger/60">
              <span aria-hidden>− </span>
              <UntrustedText text={before} />
            </del>
          )}
          {after !== undefined && (
            <ins className="block text-ok no-underline">
              <span aria-hidden>+ </span>
              <UntrustedText text={after} />
            </ins>
          )}
          {after === undefined && <span className="block font-sans text-muted">removed</span>}
        </li>
      ))}
    </ul>
  );
}
