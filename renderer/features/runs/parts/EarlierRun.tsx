// The run that another one repeats: "Retry of nightly", "Fork of nightly at writer". Nothing for other runs.
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { cn } from '../../../ui/cn.ts';
import { earlierRun, type Run } from '../model/run.ts';

export interface EarlierRunProps {
  readonly run: Run;
  readonly scope: string;
  readonly className?: string;
}

export function EarlierRun({ run, scope, className }: EarlierRunProps) {
  const earlier = earlierRun(run);
  if (!earlier) return null;
  return (
    <span className={cn('min-w-0', className)}>
      {earlier.label}{' '}
      <PeekLink object={earlier} scope={scope}>
        {earlier.name}
      </PeekLink>
      {earlier.at !== undefined && ` at ${earlier.at}`}
    </span>
  );
}
