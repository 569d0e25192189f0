// The library beside the canvas: agents of the namespace, and tools or models for the agents.
import { useState } from 'react';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { toastInfo } from '../../../ui/overlay/toast.ts';
import type { CatalogueItem } from '../agent/offer.ts';
import type { Design } from '../document/use-design.ts';
import { Catalogue } from './Catalogue.tsx';
import { Palette, type PaletteProps } from './Palette.tsx';

export interface LibraryProps {
  readonly namespace: string;
  readonly design: Design;
  readonly palette: PaletteProps;
  readonly onGive: (agent: string, item: CatalogueItem) => void;
}

const SHELVES = [
  { value: 'agents', label: 'Agents' },
  { value: 'tools', label: 'Tools' },
  { value: 'models', label: 'Models' },
] as const;

export function Library({ namespace, design, palette, onGive }: LibraryProps) {
  const [shelf, setShelf] = useState<(typeof SHELVES)[number]['value']>('agents');
  const { nodes, edges } = design.selection;
  const give = (item: CatalogueItem) => {
    const [agent] = nodes;
    if (agent === undefined || nodes.length > 1 || edges.length > 0) toastInfo('Select one agent first, or drag it onto one');
    else onGive(agent, item);
  };
  return (
    <>
      <div className="flex shrink-0 items-center border-b border-border px-2 py-1">
        <SegmentedControl label="Shelf of the library" value={shelf} segments={SHELVES} onChange={setShelf} className="h-7" />
      </div>
      {shelf === 'agents' ? (
        <Palette {...palette} />
      ) : (
        <Catalogue key={shelf} namespace={namespace} design={design} of={shelf} onGive={give} />
      )}
    </>
  );
}
