// The tools over the canvas.
import {
  Braces,
  Ellipsis,
  ListTree,
  Group,
  PanelRight,
  Plus,
  Redo2,
  Search,
  StickyNote,
  Undo2,
  Wand2,
  MoveHorizontal,
  MoveVertical,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useCovered } from '../../../inspector/covered.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { copyText } from '../../../ui/button/copy-text.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { download } from '../../../ui/text/large-text.ts';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import type { GraphHandle } from '../../../graph/GraphCanvas.tsx';
import { MAP_NODES_MIN } from '../../../graph/view.ts';
import type { DesignActions } from '../document/design-actions.ts';
import { mermaidOf, svgOf } from './exports.ts';
import { NOTES_ANNOTATION, newNote, readNotes, type CanvasNote } from '../../../graph/notes.ts';
import { memberAt } from '../../../yaml/edit-value.ts';
import { keepNotes, keepPlaces, placesKept } from '../document/system-text.ts';
import type { Design } from '../document/use-design.ts';
import type { DesignView } from './use-design-view.ts';

export interface DesignToolbarProps {
  readonly name: string;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly view: DesignView;
  readonly canvas: () => GraphHandle | undefined;
  readonly onFind: () => void;
  /** Comparisons of the system with itself, at the head of the menu. */
  readonly comparisons: readonly MenuItem[];
  readonly readOnly: boolean;
  /** In the free middle of the tools. */
  readonly children?: ReactNode;
}

const DIRECTIONS = [
  { value: 'LR', label: <MoveHorizontal />, name: 'Left to right' },
  { value: 'TB', label: <MoveVertical />, name: 'Top to bottom' },
] as const;

async function copied(what: string, text: string): Promise<void> {
  if (await copyText(text)) toastDone(`${what} copied`);
  else toastError(`${what} could not be copied`, new Error('The browser did not allow it.'));
}

function MoreMenu({ name, design, actions, view, canvas, comparisons, readOnly }: Omit<DesignToolbarProps, 'onFind'>) {
  const { direction } = design.placement;
  const { cannot } = actions;
  const file = name === '' ? 'system' : name;
  const kept = placesKept(design.text, design.placement);
  const keep: MenuItem = {
    id: 'places',
    label: 'Save layout',
    ...(kept && { disabledReason: 'Layout saved' }),
    ...(cannot !== undefined && { disabledReason: cannot }),
    onSelect: () => design.run('Keep the places', (text) => keepPlaces(text, design.placement)),
  };
  const places: readonly MenuItem[] = readOnly ? [] : [keep];
  const minimap = view.minimap ?? design.model.nodes.length >= MAP_NODES_MIN;
  const svg = () => {
    const boxes = canvas()?.boxes();
    if (boxes) download(`${file}.svg`, svgOf(design.model, boxes, direction));
  };
  return (
    <Menu
      align="end"
      trigger={<IconButton size="sm" label="More" icon={<Ellipsis />} />}
      items={[
        ...(comparisons.length > 0 ? [{ heading: 'Compare' }, ...comparisons, 'separator' as const] : []),
        { heading: 'Show' },
        { id: 'minimap', label: 'Overview map', checked: minimap, onSelect: () => view.set({ minimap: !minimap }) },
        { id: 'legend', label: 'Legend', checked: view.legend, onSelect: () => view.set({ legend: !view.legend }) },
        ...places,
        'separator',
        { heading: 'Export' },
        { id: 'yaml', label: 'Copy YAML', onSelect: () => void copied('The YAML', design.text) },
        { id: 'mermaid', label: 'Copy as Mermaid', onSelect: () => void copied('The diagram', mermaidOf(design.model, direction)) },
        { id: 'download', label: 'Download YAML', onSelect: () => download(`${file}.yaml`, design.text) },
        { id: 'svg', label: 'Download SVG', onSelect: svg },
      ]}
    />
  );
}

/** A note lands in the middle of the visible canvas; a group frames the selected agents. */
function NoteButtons({ design, canvas, cannot }: Pick<DesignToolbarProps, 'design' | 'canvas'> & { readonly cannot: string | undefined }) {
  const add = (kind: CanvasNote['kind']) => {
    const handle = canvas();
    if (!handle) return;
    const boxes = handle.boxes();
    const around = design.selection.nodes.flatMap((id) => boxes.get(id) ?? []);
    const notes = readNotes(memberAt(design.value, ['metadata', 'annotations', NOTES_ANNOTATION]));
    const note = newNote(kind, { at: handle.middle(), around, taken: [...boxes.values()] });
    design.run(`Add a ${kind}`, (text) => keepNotes(text, [...notes, note]));
    handle.focusNote(note);
  };
  return (
    <>
      <IconButton size="sm" label="Add a note" icon={<StickyNote />} disabledReason={cannot} onClick={() => add('note')} />
      <IconButton
        size="sm"
        label={design.selection.nodes.length > 0 ? 'Group the selected agents' : 'Add a group'}
        icon={<Group />}
        disabledReason={cannot}
        onClick={() => add('group')}
      />
      <span aria-hidden className="mx-1 h-5 w-px bg-border" />
    </>
  );
}

export function DesignToolbar(props: DesignToolbarProps) {
  const { name, design, actions, view, canvas, onFind, comparisons, readOnly, children } = props;
  const covered = useCovered();
  const yaml = view.yaml && !covered;
  const details = view.details && !covered;
  return (
    <div
      role="toolbar"
      aria-label="Canvas"
      className="flex min-h-9 shrink-0 flex-wrap items-center gap-1 border-b border-border bg-surface px-3 py-0.5"
    >
      <IconButton
        size="sm"
        label="Outline and library"
        shortcut="o"
        icon={<ListTree />}
        aria-pressed={view.outline}
        onClick={() => view.set({ outline: !view.outline })}
      />
      <span aria-hidden className="mx-1 h-5 w-px bg-border" />
      {!readOnly && (
        <>
          <Button size="sm" icon={<Plus />} onClick={() => actions.pick({ for: 'add' })} disabledReason={actions.cannot}>
            Add agent
          </Button>
          <IconButton size="sm" label="Undo" shortcut="mod+z" icon={<Undo2 />} disabled={!design.canUndo} onClick={design.undo} />
          <IconButton size="sm" label="Redo" shortcut="mod+shift+z" icon={<Redo2 />} disabled={!design.canRedo} onClick={design.redo} />
          <span aria-hidden className="mx-1 h-5 w-px bg-border" />
        </>
      )}
      {!readOnly && <NoteButtons design={design} canvas={canvas} cannot={actions.cannot} />}
      <IconButton size="sm" label="Find an agent" shortcut="/" icon={<Search />} onClick={onFind} />
      <IconButton size="sm" label="Tidy up" shortcut="alt+shift+t" icon={<Wand2 />} onClick={design.tidy} />
      <SegmentedControl label="Direction" value={design.placement.direction} segments={DIRECTIONS} onChange={design.turn} className="h-7" />
      <span className="flex min-w-0 flex-1 basis-32 justify-center">{children}</span>
      <Button
        size="sm"
        icon={<Braces />}
        aria-pressed={yaml}
        variant={yaml ? 'secondary' : 'ghost'}
        onClick={() => view.set({ yaml: !yaml })}
      >
        YAML
      </Button>
      <IconButton
        size="sm"
        label={details ? 'Hide details of the system' : 'Show details of the system'}
        icon={<PanelRight />}
        aria-pressed={details}
        onClick={() => view.set({ details: !details })}
      />
      <MoreMenu name={name} design={design} actions={actions} view={view} canvas={canvas} comparisons={comparisons} readOnly={readOnly} />
    </div>
  );
}
