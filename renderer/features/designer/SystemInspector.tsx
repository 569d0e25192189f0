// The system as a whole, while nothing on the canvas is selected.
import { Repeat2 } from 'lucide-react';
import { Banner } from '../../ui/Banner.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { ReviewEditor } from './ReviewEditor.tsx';
import type { Design } from './use-design.ts';

export interface SystemInspectorProps {
  readonly name: string;
  readonly design: Design;
  readonly readOnly: boolean;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['a', 'Add an agent'],
  ['c', 'Connect the selected agent'],
  ['delete', 'Remove what is selected'],
  ['mod+z', 'Undo'],
  ['mod+shift+z', 'Redo'],
  ['mod+c', 'Copy as YAML'],
  ['mod+v', 'Paste'],
  ['mod+d', 'Same routes for another agent'],
  ['/', 'Find an agent'],
  ['f', 'Fit'],
  ['1', 'Actual size'],
  ['shift+alt+t', 'Tidy up'],
];

export function SystemInspector({ name, design, readOnly }: SystemInspectorProps) {
  const { model, system } = design;
  const entries = model.nodes.filter(({ entry }) => entry).map(({ id }) => id);
  const ends = model.nodes.filter(({ terminal }) => terminal).map(({ id }) => id);
  return (
    <div className="flex flex-col gap-4 p-4">
      <header>
        <p className="text-sm text-muted">Agent system</p>
        <h2 className="text-md font-semibold [overflow-wrap:anywhere]">{name === '' ? 'New system' : name}</h2>
      </header>
      <DescriptionList
        items={[
          { term: 'Agents', detail: system.agents.length },
          {
            term: 'Routes',
            detail:
              system.graph === undefined && model.edges.length > 0 ? `${model.edges.length}, by the order of the list` : model.edges.length,
          },
          { term: 'Starts with', detail: entries.join(', ') || '–' },
          { term: 'Ends with', detail: ends.join(', ') || '–' },
        ]}
      />
      {model.cycle && (
        <Banner tone="warn" icon={<Repeat2 />} className="rounded-md">
          {[...model.cycle, model.cycle[0]].join(' → ')} is a loop. Its bound, max_turns, is a field of each Task that runs the system; Run…
          asks for it.
        </Banner>
      )}
      <ReviewEditor design={design} readOnly={readOnly} />
      <section aria-label="Keys of the canvas">
        <h3 className="mb-1.5 text-sm font-medium">Keys</h3>
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 text-sm text-muted">
          {KEYS.map(([keys, words]) => (
            <div key={keys} className="contents">
              <dt>
                <Kbd keys={keys} />
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
