// One approval of the queue.
import { FileSearch, Wrench } from 'lucide-react';
import { Fragment, useMemo } from 'react';
import { withBase } from '../../../ui/link/base-path.ts';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { cn } from '../../../ui/cn.ts';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { isPlainClick } from '../../../ui/link/navigation.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { subjectOf, type Approval } from '../model/approval.ts';
import { Chips } from '../model/Chips.tsx';
import { gistOf } from '../model/gist.ts';
import { originText, tellsOrigin } from '../model/origin-text.ts';
import type { QueueItem } from './queue.ts';

export interface QueueRowProps {
  readonly item: QueueItem;
  readonly scope: string;
  readonly current: boolean;
  readonly selected: boolean;
  readonly onOpen: (key: string) => void;
  readonly onSelect: (key: string, range: boolean) => void;
}

/** Calls of one tool differ only in their input. */
function Gist({ approval }: { readonly approval: Approval }) {
  const parts = useMemo(() => gistOf(approval), [approval]);
  if (parts.length === 0) return null;
  return (
    <span className="mt-0.5 block truncate text-sm">
      {parts.map(({ key, value }, index) => (
        <Fragment key={key ?? ''}>
          {index > 0 && <span className="text-faint"> · </span>}
          {key !== undefined && (
            <span className="text-muted">
              <UntrustedText text={key} />{' '}
            </span>
          )}
          <UntrustedText text={value} dir="auto" />
        </Fragment>
      ))}
    </span>
  );
}

export function QueueRow({ item, scope, current, selected, onOpen, onSelect }: QueueRowProps) {
  const { approval, risk, system } = item;
  const Icon = approval.kind === 'ToolApproval' ? Wrench : FileSearch;
  const subject = subjectOf(approval);
  return (
    <div
      data-current={current || undefined}
      className={cn(
        'relative flex gap-2.5 border-b border-border py-2.5 pr-4 pl-3 transition-colors outline-(--focus) has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2',
        current ? 'bg-selected before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent' : 'hover:bg-hover',
      )}
    >
      <span
        className="pt-0.5"
        onClickCapture={(event) => {
          if (!event.shiftKey) return;
          event.preventDefault();
          event.stopPropagation();
          onSelect(approval.key, true);
        }}
      >
        <Checkbox
          aria-label={`Select ${subject} of ${approval.task.name}`}
          checked={selected}
          onChange={() => onSelect(approval.key, false)}
        />
      </span>
      <a
        href={withBase(approvalAddress(scope, approval))}
        data-key={approval.key}
        aria-current={current || undefined}
        className="min-w-0 flex-1 rounded-sm focus-visible:outline-none after:absolute after:inset-0 after:left-9"
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen(approval.key);
        }}
      >
        <span className="flex items-center gap-1.5">
          <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="min-w-0 flex-1 truncate text-base font-medium text-text">
            <UntrustedText text={subject} />
          </span>
          {Number.isFinite(approval.expiresAt) && (
            <Countdown until={approval.expiresAt} label={`Approval of ${subject}`} className="text-sm" />
          )}
        </span>
        <Gist approval={approval} />
        <span className="block truncate text-sm text-muted">
          <UntrustedText text={approval.agent === '' ? 'an agent' : approval.agent} />
          {' · '}
          <UntrustedText text={approval.task.name} />
          {system !== undefined && <UntrustedText text={` · ${system}`} />}
        </span>
        {approval.origin && tellsOrigin(approval.origin) && (
          <span className="block truncate text-sm text-muted">
            <UntrustedText text={originText(approval.origin)} />
          </span>
        )}
        <span className="mt-1 flex flex-wrap items-center gap-1">
          <Chips approval={approval} risk={risk} />
        </span>
      </a>
    </div>
  );
}
