// Result of an import, document by document.
import { CircleCheck } from 'lucide-react';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Banner } from '../../../ui/Banner.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Link } from '../../../ui/Link.tsx';
import type { Applied } from './use-import.ts';
import { VerdictBadge } from './VerdictBadge.tsx';

export interface ImportResultProps {
  readonly applied: Applied;
  readonly namespace: string;
  readonly onAgain: () => void;
}

export function ImportResult({ applied, namespace, onAgain }: ImportResultProps) {
  const { scope } = useScope();
  const { verdicts, documents } = applied;
  return (
    <>
      <Banner tone="ok" icon={<CircleCheck />} action={<Button onClick={onAgain}>Import more</Button>}>
        {documents.length === 1 ? 'The document was' : `All ${documents.length} documents were`} applied, in one transaction.
      </Banner>
      <ul aria-label="Results" className="min-h-0 flex-1 overflow-auto" tabIndex={0}>
        {documents.map(({ id, kind, name, namespace: own }) => (
          <li key={id} className="flex min-h-row items-center gap-2 border-b border-border/60 px-6 py-1 max-sm:px-4">
            <span aria-hidden className="text-faint [&_svg]:size-4">
              <KindIcon kind={kind} />
            </span>
            <Link href={objectAddress({ kind, name, namespace: own || namespace }, scope)} className="min-w-0 truncate font-medium">
              {name}
            </Link>
            <span className="min-w-0 flex-1 truncate text-muted">
              {kind} in {own || namespace}
            </span>
            <VerdictBadge done state={verdicts.get(id)?.state} />
          </li>
        ))}
      </ul>
    </>
  );
}
