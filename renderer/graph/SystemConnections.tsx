// The connections of a system as sentences: from which agent to which, and when.
import type { Resource } from '@svc/shared/resource';
import { parseRef } from '@svc/shared/resource';
import { Fragment } from 'react';
import { PeekLink } from '../inspector/PeekLink.tsx';
import { useScope } from '../navigation/scope.ts';
import { Card } from '../ui/layout/Card.tsx';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { joinSentence } from './accessible-text.ts';
import { readSystem } from './read-system.ts';
import { systemGraph, type SystemEdge, type SystemNode } from './system-graph.ts';

/** More are on the canvas only. */
const SHOWN = 200;

function whenText({ chips, field }: SystemEdge): string {
  if (chips.length > 0) return chips.join(', ');
  return field === 'implied' ? 'in order' : 'on success';
}

export function SystemConnections({ resource }: { readonly resource: Resource }) {
  const { namespace } = resource.metadata;
  const { nodes, edges } = systemGraph(readSystem(resource.spec));
  const joins = nodes.filter(({ join }) => join?.declared);
  return (
    <Card title="Connections" description="An agent without a connection ends its branch." flush>
      {edges.length === 0 && <p className="px-4 py-3 text-muted">No connections: each agent starts and ends by itself.</p>}
      <ul aria-label="Connections">
        {edges.slice(0, SHOWN).map((edge) => (
          <li
            key={edge.id}
            className="flex flex-wrap items-baseline gap-x-2 border-b border-border/60 px-4 py-2 [overflow-wrap:anywhere] last:border-0"
          >
            <AgentLink name={edge.source} namespace={namespace} />
            <span aria-hidden className="text-muted">
              →
            </span>
            <AgentLink name={edge.target} namespace={namespace} />
            <span className="text-muted">
              <UntrustedText text={whenText(edge)} />
              {edge.kind === 'loop-back' && ', a loop'}
            </span>
          </li>
        ))}
      </ul>
      {edges.length > SHOWN && <p className="px-4 py-2 text-sm text-muted">and {edges.length - SHOWN} more; the YAML has all</p>}
      {joins.length > 0 && <Joins nodes={joins} namespace={namespace} />}
    </Card>
  );
}

function Joins({ nodes, namespace }: { readonly nodes: readonly SystemNode[]; readonly namespace: string }) {
  return (
    <ul aria-label="Joins" className="border-t border-border">
      {nodes.slice(0, SHOWN).map(({ id, join }) => (
        <Fragment key={id}>
          {join && (
            <li className="px-4 py-2 [overflow-wrap:anywhere]">
              <AgentLink name={id} namespace={namespace} /> <span className="text-muted">{joinSentence(join)}</span>
            </li>
          )}
        </Fragment>
      ))}
    </ul>
  );
}

function AgentLink({ name, namespace }: { readonly name: string; readonly namespace: string }) {
  const { scope } = useScope();
  return (
    <PeekLink object={{ kind: 'Agent', ...parseRef(name, namespace) }} scope={scope}>
      {name}
    </PeekLink>
  );
}
