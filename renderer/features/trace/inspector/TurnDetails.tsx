// An agent's turn: its input, its output, and its handovers.
import { Badge } from '../../../ui/status/Badge.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { formatDuration } from '../../../ui/status/format.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { turnInputs } from '../model/conversation.ts';
import { taskOfPin } from '../model/stand-in.ts';
import { refOf } from './refs.ts';
import { LiveAnswer } from '../parts/LiveAnswer.tsx';
import type { DetailsProps } from './SpanInspector.tsx';
import { ValueView } from '../parts/ValueView.tsx';

export function TurnDetails({ span, trace, namespace, turnActions }: DetailsProps) {
  const { entries } = trace.store;
  const agent = span.agent ?? span.name;
  const ended = span.entries.map((place) => entries[place]).findLast((entry) => entry?.type === 'agent_end');
  const sent = span.children.flatMap(({ entries: [place = -1] }) => entries[place]?.to_agent ?? []);
  const speaking = trace.imported ? undefined : span.children.findLast(({ kind, end }) => kind === 'model' && end === undefined);
  const ref = refOf('Agent', agent, namespace);
  return (
    <>
      <DescriptionList
        items={[
          { term: 'Agent', detail: trace.imported ? <UntrustedText text={agent} /> : <PeekLink object={ref}>{agent}</PeekLink> },
          { term: 'Branch', detail: <span className="font-mono text-sm">{span.branch ?? '–'}</span> },
          {
            term: 'Attempts',
            detail:
              span.tries === 1 ? '1' : `${span.tries}, retried after ${span.ticks.map((at) => formatDuration(at - span.start)).join(', ')}`,
          },
          ...(span.pinned === undefined
            ? []
            : [{ term: 'Output', detail: <StandIn pinned={span.pinned} namespace={namespace} linked={!trace.imported} /> }]),
          {
            term: 'Next',
            detail:
              sent.length === 0 ? (
                'Nobody'
              ) : (
                <span className="flex flex-wrap gap-1">
                  {sent.map((to, index) => (
                    <Badge key={index}>{to}</Badge>
                  ))}
                </span>
              ),
          },
        ]}
      />
      {turnActions?.(agent)}
      {turnInputs(entries, span).map((message) => (
        <ValueView
          key={message.place}
          title={message.from === 'Run input' ? message.from : `From ${message.from}`}
          value={message.content}
          truncated={message.truncated}
        />
      ))}
      {speaking && <LiveAnswer key={speaking.id} run={trace.run} span={speaking} />}
      <ValueView title="Output" value={ended?.output} truncated={ended?.truncated} />
      {ended?.message !== undefined && (
        <p className="text-sm text-muted">
          <UntrustedText text={ended.message} />
        </p>
      )}
    </>
  );
}

interface StandInProps {
  readonly pinned: string;
  readonly namespace: string;
  readonly linked: boolean;
}

function StandIn({ pinned, namespace, linked }: StandInProps) {
  if (pinned === 'spec') return 'Pinned by the trial';
  const name = taskOfPin(pinned);
  return <>Reused from {linked ? <PeekLink object={{ kind: 'Task', namespace, name }}>{name}</PeekLink> : <UntrustedText text={name} />}</>;
}
