// Objects related to another one, by kind.
import type { ResourceKey } from '@svc/shared/resource';
import { kindsTitle } from '../../../kinds/kind-titles.ts';
import { kindNamed } from '../../../kinds/kind-table.ts';
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
  readonly more?: boolean;
}

export function RelatedGroups({ items, home, more = false }: RelatedGroupsProps) {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const known = kindNamed(kind);
    const group = items.filter((item) => item.kind === kind);
    return (
      <section key={kind} aria-label={known ? kindsTitle(known) : kind} className="border-b border-border/60 px-4 py-3 last:border-0">
        <h3 className="mb-1.5 text-sm font-medium text-muted">
          {known ? kindsTitle(known) : kind}{' '}
          <span className="tabular-nums">{`${group.length}${more && kind === kinds.at(-1) ? '+' : ''}`}</span>
        </h3>
        <ul className="flex flex-col gap-1.5">
          {group.map((item) => (
            <li key={`${item.namespace}/${item.name}`} className="flex flex-wrap items-center gap-x-3">
              <RefLink object={item} exists={item.exists} path={item.paths[0] ?? ''} home={home} />
              <span className="font-mono text-xs text-muted" title={item.paths.join('\n')}>
                {listed(item.paths.slice(0, 3))}
                {item.paths.length > 3 && ` +${item.paths.length - 3}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
