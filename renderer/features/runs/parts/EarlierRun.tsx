// The run that another one repeats: "Retry of nightly", "Fork of nightly at writer". Nothing for other runs.
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { earlierRun, nameFrom, type Run } from '../model/run.ts';

export interface EarlierRunProps {
  readonly run: Run;
  readonly scope: string;
}

export function EarlierRun({ run, scope }: EarlierRunProps) {
  const earlier = earlierRun(run);
  if (!earlier) return null;
  return (
    <span className="min-w-0">
      {earlier.label}{' '}
      <PeekLink object={earlier} scope={scope}>
        {nameFrom(run, earlier)}
      </PeekLink>
      {earlier.at !== undefined && ` at ${earlier.at}`}
    </span>
  );
}
