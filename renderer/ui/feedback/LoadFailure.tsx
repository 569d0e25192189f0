// A failed load of something that a role may not see: the reason where it is forbidden, else the failure.
import { EmptyState } from './EmptyState.tsx';
import { ErrorCard, type ErrorCardProps } from './ErrorCard.tsx';
import { shownError } from './shown-error.ts';

export interface LoadFailureProps extends ErrorCardProps {
  /** Title where it is forbidden: "You may not see runs". */
  readonly forbidden: string;
}

export function LoadFailure({ forbidden, ...failure }: LoadFailureProps) {
  const { code, message } = shownError(failure.error);
  if (code !== 'forbidden') return <ErrorCard {...failure} />;
  return (
    <EmptyState cause="forbidden" title={forbidden}>
      {message}
    </EmptyState>
  );
}
