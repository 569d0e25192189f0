// Relations, or the reason why they are missing.
import type { ReactNode } from 'react';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';

export interface RelatedBodyProps {
  readonly pending: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

export function RelatedBody({ pending, error, onRetry, children }: RelatedBodyProps) {
  if (error != null) return <ErrorCard error={error} title="The relations could not be loaded" onRetry={onRetry} className="m-4" />;
  if (!pending) return children;
  return <SkeletonLines widths={['w-1/3', 'w-1/2']} className="gap-3 p-4" />;
}
