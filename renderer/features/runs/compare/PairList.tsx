// Paired items of two runs, each line to unfold; equal ones are hidden until they are wanted.
import { useState, type ReactNode } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { DisclosureItem } from '../../../ui/layout/DisclosureItem.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import type { Pair } from './compare-runs.ts';

export interface PairListProps<Thing> {
  readonly label: string;
  readonly pairs: readonly Pair<Thing>[];
  /** Text for when both have none. */
  readonly nothing: string;
  readonly same: (left: Thing, right: Thing) => boolean;
  /** Short description of one of them. */
  readonly note: (thing: Thing) => string;
  readonly render: (left: Thing | undefined, right: Thing | undefined) => ReactNode;
}

const SHOWN = 100;

export function PairList<Thing>({ label, pairs, nothing, same, note, render }: PairListProps<Thing>) {
  const [different, setDifferent] = useState(true);
  const [shown, setShown] = useState(SHOWN);
  const isSame = ({ left, right }: Pair<Thing>) => left !== undefined && right !== undefined && same(left, right);
  const listed = different ? pairs.filter((pair) => !isSame(pair)) : pairs;
  const differing = pairs.filter((pair) => !isSame(pair)).length;
  if (pairs.length === 0) return <p className="px-4 py-3 text-muted">{nothing}</p>;
  return (
    <>
      <div className="flex items-center justify-between gap-3 border-b border-border px-4 py-1.5 text-sm text-muted">
        <span role="status">{differing === 0 ? `All ${pairs.length} are the same` : `${differing} of ${pairs.length} differ`}</span>
        <Switch label="Only differences" checked={different} onChange={setDifferent} />
      </div>
      <ul aria-label={label}>
        {listed.slice(0, shown).map((pair) => (
          <PairLine key={pair.key} pair={pair} equal={isSame(pair)} note={note} render={render} />
        ))}
      </ul>
      {listed.length > shown && (
        <Button size="sm" variant="ghost" className="m-2" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, listed.length - shown)} more
        </Button>
      )}
    </>
  );
}

interface PairLineProps<Thing> {
  readonly pair: Pair<Thing>;
  readonly equal: boolean;
  readonly note: (thing: Thing) => string;
  readonly render: (left: Thing | undefined, right: Thing | undefined) => ReactNode;
}

function PairLine<Thing>({ pair: { key, left, right }, equal, note, render }: PairLineProps<Thing>) {
  const kind = left === undefined ? 'only right' : right === undefined ? 'only left' : equal ? 'same' : 'differs';
  const line = (
    <>
      <span className="truncate font-medium">{key}</span>
      <span className="truncate text-sm text-muted tabular-nums max-md:hidden">{left === undefined ? '–' : note(left)}</span>
      <span className="truncate text-sm text-muted tabular-nums max-md:hidden">{right === undefined ? '–' : note(right)}</span>
      <span className="justify-self-end">
        {equal ? <span className="text-sm text-faint">same</span> : <Badge tone={kind === 'differs' ? 'info' : 'warn'}>{kind}</Badge>}
      </span>
    </>
  );
  return (
    <DisclosureItem lineClass="grid grid-cols-[1rem_minmax(8rem,1fr)_1fr_1fr_6rem] gap-3 px-4 max-md:grid-cols-[1rem_1fr_6rem]" line={line}>
      {() => <div className="border-t border-border/60 bg-bg px-4 py-3">{render(left, right)}</div>}
    </DisclosureItem>
  );
}
