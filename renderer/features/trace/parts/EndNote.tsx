// A remark on the end of a branch of a run.
import { TriangleAlert } from 'lucide-react';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export function EndNote({ note }: { readonly note: string }) {
  return (
    <p className="mb-1.5 flex items-center gap-1.5 text-sm text-warn">
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
      <UntrustedText text={note} />
    </p>
  );
}
