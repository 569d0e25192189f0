// One value of an object in a table cell, as short as possible.
import { cronWords } from '@svc/shared/cron/cron-description';
import { isObject } from '@svc/shared/json';
import { valueTitle } from '../../../kinds/field-titles.ts';
import { formatExact, formatNumber, isInstant } from '../../../ui/status/format.ts';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export interface CellValueProps {
  readonly kind: string;
  readonly path: string;
  readonly value: unknown;
}

const EXCERPT_CHARS = 200;
const ITEMS_NAMED = 3;
const none = <span className="text-faint">–</span>;

export function CellValue({ kind, path, value }: CellValueProps) {
  if (path === 'status.phase') return typeof value === 'string' ? <PhasePill phase={value} kind={kind} /> : none;
  if (value === undefined || value === null || value === '') return none;
  if (typeof value === 'boolean') return value ? 'Yes' : <span className="text-muted">No</span>;
  if (typeof value === 'number') return <span className="tabular-nums">{formatExact(value)}</span>;
  if (Array.isArray(value)) return <Several items={(value as unknown[]).map(itemText)} />;
  if (isObject(value)) return <Several items={Object.keys(value)} />;
  const text = typeof value === 'string' ? value : '';
  if (isInstant(text)) return <Time at={text} />;
  if (path === 'spec.provider') return <span title={text}>{valueTitle(text)}</span>;
  if (path === 'spec.schedule') return <ScheduleWords cron={text} />;
  return <UntrustedText text={beginningOf(text, EXCERPT_CHARS)} className="[overflow-wrap:normal]" />;
}

/** Name of an entry of a list: itself, or the first of its usual name fields. */
function itemText(item: unknown): string {
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return String(item);
  if (!isObject(item)) return '…';
  const named = [item.name, item.action, item.to, item.id].find((each) => typeof each === 'string');
  return named ?? '…';
}

/** The count, and the first entries. */
function Several({ items }: { readonly items: readonly string[] }) {
  if (items.length === 0) return none;
  const named = items.slice(0, ITEMS_NAMED).map((each) => beginningOf(each, EXCERPT_CHARS));
  const more = items.length - named.length;
  return (
    <span className="truncate" title={items.slice(0, 50).join('\n')}>
      <UntrustedText text={named.join(', ')} className="[overflow-wrap:normal]" />
      {more > 0 && <span className="text-muted"> and {formatNumber(more)} more</span>}
    </span>
  );
}

/** The schedule in words; the cron line itself where no short wording exists. */
function ScheduleWords({ cron }: { readonly cron: string }) {
  return (
    <span className="truncate" title={cron}>
      <UntrustedText text={beginningOf(capitalized(cronWords(cron) ?? cron), EXCERPT_CHARS)} className="[overflow-wrap:normal]" />
    </span>
  );
}
