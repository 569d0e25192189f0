// The recorded hash of an approval's input, and whether the shown input matches it.
import { canonicalJson } from '@svc/shared/json';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { canHash, sha256 } from './record-crypto.ts';

export interface HashLineProps {
  readonly hash: string;
  /** Undefined where the input is not JSON. */
  readonly value: unknown;
}

export function HashLine({ hash, value }: HashLineProps) {
  const { data } = useQuery({
    queryKey: ['approvals', 'input-hash', hash, value],
    queryFn: () => sha256(canonicalJson(value)),
    enabled: canHash() && value !== undefined && hash !== '',
    gcTime: 60_000,
  });
  if (hash === '') return null;
  return (
    <p className="mt-2 flex min-w-0 items-center gap-1.5 text-sm whitespace-nowrap text-muted">
      <State matches={data === undefined ? undefined : data === hash} />
      <span className="min-w-0 truncate font-mono text-xs">{hash}</span>
      <CopyButton text={hash} label="Copy input hash" />
    </p>
  );
}

function State({ matches }: { readonly matches: boolean | undefined }) {
  if (matches === undefined)
    return (
      <>
        <CircleHelp aria-hidden className="size-3.5 shrink-0" /> Hash, not checked here
      </>
    );
  if (matches)
    return (
      <>
        <CircleCheck aria-hidden className="size-3.5 shrink-0 text-ok" /> Hash matches
      </>
    );
  return (
    <span role="alert" className="inline-flex items-center gap-1.5 text-danger">
      <TriangleAlert aria-hidden className="size-3.5" /> This is not the requested input; its hash should be
    </span>
  );
}
