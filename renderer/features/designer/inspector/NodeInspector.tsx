// One agent of the system: its definition, its governance, and its use in the system.
import { ArrowRight, Copy, Plus, TextCursorInput, Trash2 } from 'lucide-react';
import { parseRef } from '@svc/shared/resource';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { AgentForm, type AgentFormProps } from '../agent/AgentForm.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { conditionText } from '../../../graph/accessible-text.ts';
import type { DesignActions } from '../document/design-actions.ts';
import { JoinEditor } from './JoinEditor.tsx';
import { ReviewEditor } from './ReviewEditor.tsx';
import { NodeTrial } from '../run/NodeTrial.tsx';
import type { TrialDesign } from '../run/use-trial-design.ts';

export interface NodeInspectorProps extends AgentFormProps {
  readonly actions: DesignActions;
  readonly trial: TrialDesign;
  readonly onRename: () => void;
  /** Reason why the agent cannot be renamed now. */
  readonly renameReason: string | undefined;
}

function Definition({ node, namespace, system, isNew, facts, design, actions, readOnly }: NodeInspectorProps) {
  if (facts?.state === 'missing') {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-danger">There is no such agent.</p>
        {!readOnly && !node.id.includes('/') && (
          <Button icon={<Plus />} className="self-start" onClick={() => actions.make([node.id])}>
            Create {node.id}
          </Button>
        )}
      </div>
    );
  }
  if (facts?.state === 'unread')
    return <p className="text-muted">The agent could not be read. It is shown as soon as the server returns it.</p>;
  if (facts === undefined || facts.state === 'loading') return <Skeleton className="h-40 w-full" />;
  return <AgentForm node={node} namespace={namespace} system={system} isNew={isNew} facts={facts} design={design} readOnly={readOnly} />;
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

export function NodeInspector(props: NodeInspectorProps) {
  const { node, namespace, design, actions, readOnly, trial } = props;
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
      <Definition {...props} />
      {(node.sources.length > 1 || node.join) && <JoinEditor node={node} design={design} readOnly={readOnly} />}
      <section aria-label="Connections">
        <h3 className="mb-1 text-sm font-medium">Connections</h3>
        <Routes node={node} design={design} />
      </section>
      <ReviewEditor node={node.id} design={design} readOnly={readOnly} />
      <NodeTrial node={node.id} trial={trial} />
      {!readOnly && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<ArrowRight />} onClick={() => actions.pick({ for: 'connect', from: node.id })}>
            Connect to…
          </Button>
          <Button size="sm" icon={<Copy />} onClick={actions.like}>
            Duplicate with connections
          </Button>
          <Button size="sm" icon={<TextCursorInput />} disabledReason={props.renameReason} onClick={props.onRename}>
            Rename…
          </Button>
          <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={() => actions.removeItems([node.id], [])}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}
