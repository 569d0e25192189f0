// One agent of the system: its definition, its governance, and its use in the system.
import { ArrowRight, Copy, Trash2 } from 'lucide-react';
import { parseRef } from '@svc/shared/resource';
import { createAddress, simulatorAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { DescriptionList } from '../../../ui/DescriptionList.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Link } from '../../../ui/Link.tsx';
import { RISK_TONES, type AgentFacts } from '../../../graph/agent-summary.ts';
import { conditionText } from '../../../graph/accessible-text.ts';
import type { SystemNode } from '../../../graph/system-graph.ts';
import { CannotRun } from '../../explorer/parts/ToolProblem.tsx';
import type { DesignActions } from '../document/design-actions.ts';
import { JoinEditor } from './JoinEditor.tsx';
import { ReviewEditor } from './ReviewEditor.tsx';
import type { Design } from '../document/use-design.ts';

export interface NodeInspectorProps {
  readonly node: SystemNode;
  readonly namespace: string;
  readonly facts: AgentFacts | undefined;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly readOnly: boolean;
}

function FactList({ node, namespace, facts }: Pick<NodeInspectorProps, 'node' | 'namespace' | 'facts'>) {
  const home = parseRef(node.id, namespace).namespace;
  const link = (kind: string, ref: string) => (
    <PeekLink object={{ kind, ...parseRef(ref, home) }} className="font-mono text-sm">
      {ref}
    </PeekLink>
  );
  if (facts?.state === 'missing') {
    return (
      <p className="text-base text-danger">
        There is no such agent. <Link href={createAddress(home, 'Agent', { name: parseRef(node.id, namespace).name })}>Create it</Link>, or
        remove it from the system.
      </p>
    );
  }
  if (facts === undefined || facts.state === 'loading') return <p className="text-base text-muted">Loading…</p>;
  const items = [
    { term: 'Model', detail: facts.model === undefined ? '–' : link('ModelEndpoint', facts.model) },
    {
      term: 'Tools',
      detail:
        facts.tools.length === 0
          ? 'None'
          : facts.tools.map((tool) => (
              <span key={tool.name} className="mr-2 mb-1 inline-flex items-center gap-1">
                {link('Tool', tool.name)}
                <Badge tone={tool.missing ? 'danger' : (RISK_TONES[tool.risk ?? ''] ?? 'neutral')}>
                  {tool.missing ? 'missing' : (tool.risk ?? 'no risk level')}
                </Badge>
                {!tool.missing && <CannotRun tool={parseRef(tool.name, home)} />}
              </span>
            )),
    },
    {
      term: 'Roles',
      detail:
        facts.roles.length === 0
          ? 'None'
          : facts.roles.map((role) => (
              <span key={role} className="mr-2">
                {link('AgentRole', role)}
              </span>
            )),
    },
    { term: 'Memory', detail: facts.memory === undefined ? 'None' : link('Memory', facts.memory) },
    {
      term: 'Governed by',
      detail: <Link href={simulatorAddress(home, { agent: node.id })}>Check access</Link>,
    },
  ];
  return <DescriptionList items={items} />;
}

function Routes({ node, design }: Pick<NodeInspectorProps, 'node' | 'design'>) {
  const routes = design.model.edges.filter(({ source, target }) => source === node.id || target === node.id);
  if (routes.length === 0) return <p className="text-sm text-muted">No connections yet. Drag from the dot at its side, or press C.</p>;
  return (
    <ul className="-mx-1.5 flex flex-col">
      {routes.map((edge) => (
        <li key={edge.id}>
          <button
            type="button"
            onClick={() => design.select({ nodes: [], edges: [edge.id] })}
            className="flex min-h-7 w-full items-center gap-1.5 rounded-md px-1.5 text-left hover:bg-hover"
          >
            <span className="min-w-0 truncate">{edge.source === node.id ? 'to' : 'from'}</span>
            <ArrowRight aria-hidden className={`size-3.5 shrink-0 text-faint ${edge.source === node.id ? '' : 'rotate-180'}`} />
            <span className="min-w-0 truncate font-medium">{edge.source === node.id ? edge.target : edge.source}</span>
            <span className="min-w-0 flex-1 truncate text-right text-sm text-muted">{conditionText(edge)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function NodeInspector({ node, namespace, facts, design, actions, readOnly }: NodeInspectorProps) {
  return (
    <div className="flex flex-col gap-4 p-4">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="text-sm text-muted">Agent</p>
          <h2 className="text-md font-semibold [overflow-wrap:anywhere]">
            <PeekLink look="quiet" object={{ kind: 'Agent', ...parseRef(node.id, namespace) }}>
              {node.id}
            </PeekLink>
          </h2>
        </div>
        <div className="flex flex-wrap justify-end gap-1">
          {node.entry && <Badge tone="accent">Start</Badge>}
          {node.terminal && <Badge>End</Badge>}
          {!node.reachable && <Badge tone="warn">Never runs</Badge>}
        </div>
      </header>
      <FactList node={node} namespace={namespace} facts={facts} />
      {(node.sources.length > 1 || node.join) && <JoinEditor node={node} design={design} readOnly={readOnly} />}
      <section aria-label="Routes">
        <h3 className="mb-1 text-sm font-medium">Routes</h3>
        <Routes node={node} design={design} />
      </section>
      <ReviewEditor node={node.id} design={design} readOnly={readOnly} />
      {!readOnly && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<ArrowRight />} onClick={() => actions.pick({ for: 'connect', from: node.id })}>
            Connect to…
          </Button>
          <Button size="sm" icon={<Copy />} onClick={actions.like}>
            Duplicate with connections
          </Button>
          <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={() => actions.removeItems([node.id], [])}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}
