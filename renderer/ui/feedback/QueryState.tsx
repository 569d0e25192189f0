// Takes the place of what a query has not read yet: its shape while it loads, or the failure with a retry.
import { cn } from '../cn.ts';
import { ErrorCard } from './ErrorCard.tsx';
import { Skeleton } from './Skeleton.tsx';

export interface QueryStateProps {
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
  /** Title of the failure: "The tasks could not be loaded". */
  readonly title: string;
  /** Size of the skeleton. */
  readonly skeleton?: string;
  /** Place of both. */
  readonly className?: string;
}

export function QueryState({ query: { data, error, refetch }, title, skeleton, className }: QueryStateProps) {
  if (data !== undefined) return null;
  if (error === null) return <Skeleton className={cn(className, skeleton)} />;
  return <ErrorCard error={error} title={title} onRetry={() => void refetch()} className={className} />;
}
