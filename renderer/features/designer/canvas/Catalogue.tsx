// Tools and models to give to an agent: those of the namespace, and templates of new ones. Dragged onto an agent, or pressed for the selected one.
import { Brain, CirclePlus, Search, Wrench } from 'lucide-react';
import { useState } from 'react';
import { Input } from '../../../ui/input/Input.tsx';
import { TOOL_TEMPLATES } from '../agent/catalogue.ts';
import { CATALOGUE_DRAG, itemText, type CatalogueItem } from '../agent/offer.ts';
import { useModels } from '../agent/use-models.ts';
import { useTools } from '../agent/use-tools.ts';
import { VENDORS } from '../agent/vendors.ts';
import type { Design } from '../document/use-design.ts';

export interface CatalogueProps {
  readonly namespace: string;
  readonly design: Design;
  readonly of: 'tools' | 'models';
  /** Gives it to the selected agent. */
  readonly onGive: (item: CatalogueItem) => void;
}

interface Entry {
  readonly item: CatalogueItem;
  readonly label: string;
  readonly hint: string;
}

const SHOWN_MAX = 100;
const TEMPLATES: Readonly<Record<CatalogueProps['of'], readonly Entry[]>> = {
  tools: TOOL_TEMPLATES.map(({ id, title, hint }) => ({ item: { kind: 'tool-template', id }, label: `New: ${title}`, hint })),
  models: VENDORS.map(({ provider, title, hint }) => ({ item: { kind: 'vendor', id: provider }, label: `New: ${title}`, hint })),
};

function useEntries({ namespace, design, of }: CatalogueProps): readonly Entry[] {
  const tools = useTools(namespace, design);
  const models = useModels(namespace, design);
  const own =
    of === 'tools'
      ? tools.map(({ name, risk }): Entry => ({ item: { kind: 'tool', ref: name }, label: name, hint: risk }))
      : models.map(({ ref, summary }): Entry => ({ item: { kind: 'model', ref }, label: ref, hint: summary }));
  return [...own, ...TEMPLATES[of]];
}

export function Catalogue(props: CatalogueProps) {
  const { of, onGive } = props;
  const [query, setQuery] = useState('');
  const text = query.trim().toLowerCase();
  const fitting = useEntries(props).filter(({ label, hint }) => `${label} ${hint}`.toLowerCase().includes(text));
  const Icon = of === 'tools' ? Wrench : Brain;
  return (
    <section aria-label={of === 'tools' ? 'Tools to give' : 'Models to give'} className="flex min-h-0 flex-1 flex-col gap-1.5 p-2">
      <Input
        icon={<Search />}
        aria-label={`Search ${of} to give`}
        placeholder={`Search ${of}`}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul className="min-h-0 flex-1 overflow-auto">
        {fitting.slice(0, SHOWN_MAX).map(({ item, label, hint }) => (
          <li key={itemText(item)}>
            <button
              type="button"
              draggable
              title={`${hint === '' ? '' : `${hint} `}Drag it onto an agent, or press to give it to the selected one`}
              onDragStart={(event) => {
                event.dataTransfer.setData(CATALOGUE_DRAG, itemText(item));
                event.dataTransfer.effectAllowed = 'copy';
              }}
              onClick={() => onGive(item)}
              className="flex h-8 w-full cursor-grab items-center gap-2 rounded-md px-2 text-left -outline-offset-2 hover:bg-hover"
            >
              {'ref' in item ? (
                <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
              ) : (
                <CirclePlus aria-hidden className="size-3.5 shrink-0 text-accent-text" />
              )}
              <span className="min-w-0 flex-1 truncate">{label}</span>
              {'ref' in item && <span className="max-w-24 truncate text-sm text-muted">{hint}</span>}
            </button>
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p className="px-1 pb-1 text-sm text-muted">Nothing fits.</p>}
      {fitting.length > SHOWN_MAX && <p className="px-1 text-sm text-muted">and {fitting.length - SHOWN_MAX} more; search to narrow</p>}
    </section>
  );
}
