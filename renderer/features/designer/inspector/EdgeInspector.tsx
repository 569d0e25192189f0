// Settings of one route.
import { ArrowDown, ArrowUp, Repeat2, Trash2 } from 'lucide-react';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { conditionText } from '../../../graph/accessible-text.ts';
import type { SystemEdge } from '../../../graph/system-graph.ts';
import { convertNext, setEdgeCondition, setEdgeLabels } from '../document/commands.ts';
import type { DesignActions } from '../document/design-actions.ts';
import { LabelsEditor } from './LabelsEditor.tsx';
import type { Design } from '../document/use-design.ts';

export interface EdgeInspectorProps {
  readonly edge: SystemEdge;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly readOnly: boolean;
}

const MATCHES = 'output_matches:';
const CONDITIONS = [
  { value: '', label: 'On success' },
  { value: 'on_error', label: 'On error' },
  { value: 'always', label: 'Always' },
  { value: MATCHES, label: 'When the output matches…' },
] as const;

/** A route that follows from `next` or from the list becomes one of the edges once it gets settings: it stays selected. */
function changeOf({ edge, design }: Pick<EdgeInspectorProps, 'edge' | 'design'>): Design['run'] {
  return (label, command, group) => {
    design.run(label, command, group);
    if (typeof edge.field !== 'number') design.select({ nodes: [], edges: [`${edge.route}#0`] });
  };
}

function Legacy({ edge, design, readOnly }: Pick<EdgeInspectorProps, 'edge' | 'design' | 'readOnly'>) {
  if (typeof edge.field === 'number') return null;
  const implied = edge.field === 'implied';
  return (
    <Banner
      tone="info"
      className="rounded-md"
      action={
        <Button
          size="sm"
          disabled={readOnly}
          onClick={() => changeOf({ edge, design })('Store in “edges”', (text) => convertNext(text, edge.source))}
        >
          Store in “edges”
        </Button>
      }
    >
      {implied
        ? 'The system has no graph: its agents run in the listed order.'
        : 'This connection uses the old field “next”. The field “edges” can also hold conditions.'}
    </Banner>
  );
}

function Condition({ edge, design, readOnly }: Pick<EdgeInspectorProps, 'edge' | 'design' | 'readOnly'>) {
  const { condition } = edge;
  const pattern = condition.startsWith(MATCHES) ? condition.slice(MATCHES.length) : undefined;
  const known = pattern !== undefined ? MATCHES : condition;
  const set = (next: string) =>
    changeOf({ edge, design })(
      `Change the condition of the connection to ${edge.target}`,
      (text) => setEdgeCondition(text, edge, next),
      `condition ${edge.id}`,
    );
  const options = CONDITIONS.some(({ value }) => value === known) ? CONDITIONS : [...CONDITIONS, { value: known, label: known }];
  return (
    <>
      <Field label="Taken">
        <Select disabled={readOnly} value={known} options={options} onChange={(next) => set(next === MATCHES ? `${MATCHES}.+` : next)} />
      </Field>
      {pattern !== undefined && (
        <Field label="Pattern" hint="RE2, found anywhere in the output; (?i) ignores case">
          <Input mono disabled={readOnly} value={pattern} onChange={(event) => set(MATCHES + event.target.value)} />
        </Field>
      )}
    </>
  );
}

export function EdgeInspector({ edge, design, actions, readOnly }: EdgeInspectorProps) {
  const siblings = design.model.edges.filter(({ source, field }) => source === edge.source && typeof field === 'number');
  const place = siblings.findIndex(({ id }) => id === edge.id);
  return (
    <div className="flex flex-col gap-4 p-4">
      <header>
        <p className="text-sm text-muted">Connection</p>
        <h2 className="text-md font-semibold [overflow-wrap:anywhere]">
          {edge.source} → {edge.target}
        </h2>
        <p className="mt-1 text-sm text-muted">Taken {conditionText(edge)}.</p>
      </header>
      <Legacy edge={edge} design={design} readOnly={readOnly} />
      {edge.kind === 'loop-back' && (
        <Banner tone="warn" icon={<Repeat2 />} className="rounded-md">
          This connection closes a loop. Each run of the system must set max_turns, which limits the turns on one branch.
        </Banner>
      )}
      <Condition edge={edge} design={design} readOnly={readOnly} />
      <LabelsEditor
        key={edge.route}
        disabled={readOnly}
        labels={edge.labels}
        onChange={(labels, typed) =>
          changeOf({ edge, design })(
            `Change the labels of the connection to ${edge.target}`,
            (text) => setEdgeLabels(text, edge, labels),
            typed === undefined ? undefined : `label ${typed} of ${edge.id}`,
          )
        }
      />
      {siblings.length > 1 && place >= 0 && (
        <div className="flex items-center gap-1">
          <span className="flex-1 text-sm text-muted">
            Connection {place + 1} of {siblings.length} of {edge.source}
          </span>
          {!readOnly && (
            <>
              <IconButton
                size="sm"
                label="Move up"
                shortcut="alt+arrowup"
                icon={<ArrowUp />}
                onClick={() => actions.moveRoute(edge, place - 1)}
              />
              <IconButton
                size="sm"
                label="Move down"
                shortcut="alt+arrowdown"
                icon={<ArrowDown />}
                onClick={() => actions.moveRoute(edge, place + 1)}
              />
            </>
          )}
        </div>
      )}
      {!readOnly && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => actions.pick({ for: 'insert', edge })}>
            Insert an agent
          </Button>
          <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={() => actions.removeItems([], [edge.id])}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}
