// Details of an approval: its request, its decision, and the signed record.
import { approvalAddress, pageAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { formatDuration } from '../../../ui/status/format.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { RuleLink } from './RuleLink.tsx';
import { STATES } from '../waterfall/span-look.ts';
import type { DetailsProps } from './SpanInspector.tsx';
import { ValueView } from '../parts/ValueView.tsx';

export interface QuestionDetailsProps extends DetailsProps {
  /** Under a heading of its own, as a part of a tool call. */
  readonly titled?: boolean;
}

const DECISIONS: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired without a decision',
  request_changes: 'Changes requested',
};

export function QuestionDetails({ span, trace, namespace, now, titled }: QuestionDetailsProps) {
  const own = span.entries.flatMap((place) => trace.store.entries[place] ?? []);
  const pending = own.find(({ type }) => type.endsWith('approval_pending'));
  const resolved = own.find(({ type }) => type.endsWith('approval_resolved'));
  const name = span.approval ?? '';
  const kind = span.kind === 'review' ? 'TaskApproval' : 'ToolApproval';
  const open = span.end === undefined;
  const link = open
    ? approvalAddress(namespace, { kind, namespace, name })
    : pageAddress(namespace, 'inbox', { view: 'history', item: `${kind}/${namespace}/${name}` });
  const decision = resolved?.decision === undefined ? undefined : (DECISIONS[resolved.decision] ?? resolved.decision);
  return (
    <section aria-label="Approval" className="flex min-w-0 flex-col gap-3">
      {titled && <h3 className="text-sm font-medium text-muted">Approval</h3>}
      <DescriptionList
        items={[
          { term: kind, detail: trace.imported ? <UntrustedText text={name} /> : <Link href={link}>{name}</Link> },
          {
            term: 'Decision',
            detail: decision ?? <Badge tone={STATES[span.state].tone}>{open ? 'Waiting for approval' : STATES[span.state].label}</Badge>,
          },
          { term: open ? 'Waiting for' : 'Waited', detail: formatDuration((span.end ?? now) - span.start) },
          ...(resolved?.reviewer === undefined ? [] : [{ term: 'Decided by', detail: <UntrustedText text={resolved.reviewer} /> }]),
          ...(resolved?.comment === undefined ? [] : [{ term: 'Comment', detail: <UntrustedText block text={resolved.comment} /> }]),
          ...(resolved?.decision_record === undefined ? [] : [{ term: 'Decision record', detail: `No. ${resolved.decision_record}` }]),
          ...(pending?.rule === undefined
            ? []
            : [{ term: 'Rule that asked', detail: <RuleLink rule={pending.rule} linked={!trace.imported} /> }]),
          ...(pending?.tool_reason === undefined ? [] : [{ term: 'Reason', detail: <UntrustedText text={pending.tool_reason} /> }]),
        ]}
      />
      {pending?.message !== undefined && (
        <p className="text-sm text-muted">
          <UntrustedText text={pending.message} />
        </p>
      )}
      {!titled && <ValueView title="Input" value={pending?.input} truncated={pending?.truncated} />}
      <ValueView title="Output under review" value={pending?.output} truncated={pending?.truncated} />
      <ValueView title="Output edited by the reviewer" value={resolved?.output} truncated={resolved?.truncated} />
    </section>
  );
}
