// Objects related to another one, by kind; a kind of many is folded.
import { useState } from 'react';
import type { ResourceKey } from '@svc/shared/resource';
import { kindsTitle } from '../../../kinds/kind-titles.ts';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { listed } from '../object-text.ts';
import { RefLink } from './RefLink.tsx';

export interface Related extends ResourceKey {
  /** Paths of the references. */
  readonly paths: readonly string[];
  readonly exists: boolean;
}

export interface RelatedGroupsProps {
  readonly items: readonly Related[];
  readonly home: string;
  /** More objects exist; they arrive kind by kind, so the last group continues. */
  readonly more?: MoreRelated | undefined;
}

interface MoreRelated {
  readonly busy: boolean;
  readonly load: () => void;
}

/** One more than that is shown, rather than folded behind a button of the same height. */
const SHOWN_MAX = 12;

interface GroupProps {
  readonly title: string;
  readonly items: readonly Related[];
  readonly home: string;
  readonly more: MoreRelated | undefined;
}

function Group({ title, items, home, more }: GroupProps) {
  const [unfolded, setUnfolded] = useState(false);
  const folds = !unfolded && items.length > SHOWN_MAX + 1;
  return (
    <section aria-label={title} className="border-b border-border/60 px-4 py-3 last:border-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">
        {title} <span className="tabular-nums">{`${formatNumber(items.length)}${more ? '+' : ''}`}</span>
      </h3>
      <ul className="flex flex-col gap-1.5">
        {(folds ? items.slice(0, SHOWN_MAX) : items).map((item) => (
          <li key={`${item.namespace}/${item.name}`} className="flex flex-wrap items-center gap-x-3">
            <RefLink object={item} exists={item.exists} path={item.paths[0] ?? ''} home={home} />
            <span className="font-mono text-xs text-muted" title={item.paths.join('\n')}>
              {listed(item.paths.slice(0, 3))}
              {item.paths.length > 3 && ` +${item.paths.length - 3}`}
            </span>
          </li>
        ))}
      </ul>
      {(folds || more) && (
        <Button
          variant="link"
          size="sm"
          className="mt-1.5"
          busy={!folds && more?.busy}
          onClick={() => (folds ? setUnfolded(true) : more?.load())}
        >
          {more ? 'Show more' : `Show all ${formatNumber(items.length)}`}
        </Button>
      )}
    </section>
  );
}

export function RelatedGroups({ items, home, more }: RelatedGroupsProps) {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const known = kindNamed(kind);
    return (
      <Group
        key={kind}
        title={known ? kindsTitle(known) : kind}
        items={items.filter((item) => item.kind === kind)}
        home={home}
        more={kind === kinds.at(-1) ? more : undefined}
      />
    );
  });
}
