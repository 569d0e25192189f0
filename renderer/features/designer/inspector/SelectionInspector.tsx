// Several selected items: their count, the commands for all of them, and each agent by itself.
import { Copy, Trash2 } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import type { GraphSelection } from '../../../graph/canvas-items.ts';
import type { DesignActions } from '../document/design-actions.ts';

export interface SelectionInspectorProps {
  readonly selection: GraphSelection;
  readonly onSelect: (selection: GraphSelection) => void;
  readonly actions: Pick<DesignActions, 'copy' | 'remove'>;
  readonly readOnly: boolean;
}

function counted({ nodes, edges }: GraphSelection): string {
  const some = (count: number, word: string) => (count === 0 ? [] : [count === 1 ? `1 ${word}` : `${count} ${word}s`]);
  return [...some(nodes.length, 'agent'), ...some(edges.length, 'connection')].join(' and ');
}

export function SelectionInspector({ selection, onSelect, actions, readOnly }: SelectionInspectorProps) {
  const { nodes } = selection;
  return (
    <div className="flex flex-col gap-4 p-4">
      <header>
        <p className="text-sm text-muted">Selection</p>
        <h2 className="text-md font-semibold">{counted(selection)}</h2>
      </header>
      <div className="flex flex-wrap gap-2">
        {nodes.length > 0 && (
          <Button size="sm" icon={<Copy />} onClick={() => void actions.copy()}>
            Copy as YAML
          </Button>
        )}
        {!readOnly && (
          <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={actions.remove}>
            Remove
          </Button>
        )}
      </div>
      {nodes.length > 0 && (
        <section aria-label="Selected agents">
          <h3 className="mb-1 text-sm font-medium">Agents</h3>
          <ul className="-mx-1.5 flex flex-col">
            {nodes.map((node) => (
              <li key={node}>
                <button
                  type="button"
                  onClick={() => onSelect({ nodes: [node], edges: [] })}
                  className="flex min-h-7 w-full items-center rounded-md px-1.5 text-left hover:bg-hover"
                >
                  <span className="min-w-0 truncate">{node}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
