// The signed record of a decision, checked here and now, with the way to check it elsewhere.
import { Download } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Approval } from '../model/approval.ts';
import { useCheckedRecord, type FoundRecord, type RecordCheck } from './use-record.ts';
import { VerificationBadge } from './VerificationBadge.tsx';

export function RecordCard({ approval }: { readonly approval: Approval }) {
  const seq = approval.decision.record;
  const { data, error, isError, refetch } = useCheckedRecord(seq, approval);
  if (seq === undefined) {
    return (
      <Card title="Decision record">
        <p className="text-muted">
          There is none: this was neither decided nor expired.{' '}
          {approval.decision.closedBecause && <UntrustedText text={`It was closed because ${approval.decision.closedBecause}.`} />}
        </p>
      </Card>
    );
  }
  if (isError) return <ErrorCard error={error} title={`Record ${seq} could not be checked`} onRetry={() => void refetch()} />;
  const found = data?.record && data;
  const json = found && JSON.stringify(found.record, null, 2);
  return (
    <Card
      title={`Decision record ${seq}`}
      actions={
        <>
          <VerificationBadge check={data?.check} failed={false} />
          {json !== undefined && <CopyButton words text={json} label="Copy as JSON" />}
          {found && (
            <Button
              size="sm"
              icon={<Download />}
              onClick={() => download(`decision-${seq}.jsonl`, `${JSON.stringify(found.record)}\n`, 'application/jsonl')}
            >
              Export
            </Button>
          )}
        </>
      }
    >
      {found ? <Checked {...found} /> : data ? <Missing /> : <Skeleton className="h-20 w-full" />}
    </Card>
  );
}

function Missing() {
  return (
    <p role="alert" className="rounded-md border border-danger/35 bg-danger-soft p-3 text-danger">
      It is missing: the log of decisions has no gaps, so it was removed. Nothing proves this decision.
    </p>
  );
}

function Checked({ record, check }: FoundRecord) {
  const { decider } = record;
  return (
    <div className="flex flex-col gap-3">
      <Findings check={check} seq={record.seq} />
      <DescriptionList
        items={[
          {
            term: 'Decision',
            detail: `${record.decision.replace('_', ' ')}${record.outcome === undefined ? '' : `, outcome ${record.outcome.replace('_', ' ')}`}`,
          },
          {
            term: 'Decided by',
            detail: decider ? (
              <>
                <UntrustedText text={decider.name} />
                {decider.on_behalf_of !== undefined && <UntrustedText text={` for ${decider.on_behalf_of}`} />}
                <span className="text-muted">
                  {' '}
                  · {decider.method === 'none' ? 'unverified name (sign-in is off)' : `known by ${decider.method}`}
                  {decider.role === undefined ? '' : `, role ${decider.role}`}
                </span>
              </>
            ) : (
              'nobody: it expired'
            ),
          },
          { term: 'When', detail: <Time at={record.timestamp} sentence /> },
          ...(record.comment === undefined ? [] : [{ term: 'Comment', detail: <UntrustedText block text={record.comment} /> }]),
          ...(record.call_hash === undefined ? [] : [{ term: 'The one call it lets run', detail: <Mono>{record.call_hash}</Mono> }]),
          ...(record.output_hash === undefined ? [] : [{ term: 'The output it is about', detail: <Mono>{record.output_hash}</Mono> }]),
          { term: 'Key', detail: <Mono>{check.keyId}</Mono> },
          { term: 'Hash', detail: <Mono>{record.hash}</Mono> },
        ]}
      />
    </div>
  );
}

function Findings({ check, seq }: { readonly check: RecordCheck; readonly seq: number }) {
  if (check.state === 'broken') {
    return (
      <ul role="alert" className="flex flex-col gap-1 rounded-md border border-danger/35 bg-danger-soft p-3 text-danger">
        {check.faults.map((fault) => (
          <li key={fault}>
            <UntrustedText text={fault} />
          </li>
        ))}
      </ul>
    );
  }
  const chain = check.chainedTo.length === 0 ? '' : ` It is chained to record ${check.chainedTo.join(' and ')}.`;
  const text = {
    whole: `Hash and signature were checked in this browser with the key the server publishes.${chain}`,
    'hash-only': `Its hash was checked in this browser.${chain} This browser cannot check Ed25519 signatures: run "npx svcctl decisions verify" for the signature.`,
    unchecked: `A page on plain HTTP is given no cryptography by the browser, so nothing was checked here. Run "npx svcctl decisions verify", or open the console over HTTPS or from this machine.`,
  }[check.state];
  return <p className="text-sm text-muted">{seq === 1 ? text.replace('chained to record', 'the first, and chained to record') : text}</p>;
}
