// Page of an object that cannot be shown: there is none, it may not be seen, or it could not be loaded.
import type { ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';
import { ErrorCard } from './ErrorCard.tsx';
import { shownError } from './shown-error.ts';

export interface MissingObjectProps {
  /** Its kind within a sentence: "run". */
  readonly noun: string;
  readonly name: string;
  readonly namespace: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Link to the list of such objects. */
  readonly list: ReactNode;
}

export function MissingObject({ noun, name, namespace, error, onRetry, list }: MissingObjectProps) {
  const { code, message } = shownError(error);
  if (code === 'not_found')
    return (
      <EmptyState level={1} cause="none" title={`There is no ${noun} ${name} in ${namespace}`} action={list}>
        It was deleted, or the address is wrong.
      </EmptyState>
    );
  if (code === 'forbidden')
    return (
      <EmptyState level={1} cause="forbidden" title={`You may not see this ${noun}`} action={list}>
        {message}
      </EmptyState>
    );
  return <ErrorCard className="m-6" title={`The ${noun} ${name} could not be loaded`} error={error} onRetry={onRetry} />;
}
