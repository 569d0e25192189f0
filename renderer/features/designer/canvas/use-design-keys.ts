// The keys of the designer. Single keys are shortcuts of the page as everywhere; chords that text fields need too apply only outside of
// them.
import { useEffect, useRef, type KeyboardEvent as ReactKeyboardEvent, type RefObject } from 'react';
import { useCovered } from '../../../inspector/covered.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { firstField } from '../../../ui/input/first-field.ts';
import { NOTHING_SELECTED } from '../../../graph/canvas-items.ts';
import type { GraphHandle } from '../../../graph/GraphCanvas.tsx';
import type { DesignActions } from '../document/design-actions.ts';
import type { Design } from '../document/use-design.ts';

export interface DesignKeys {
  readonly root: RefObject<HTMLElement | null>;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly canvas: () => GraphHandle | undefined;
  readonly onFind: () => void;
  readonly onOutline: () => void;
  readonly onRename: (agent: string) => void;
  readonly readOnly: boolean;
}

const GROUP = 'Designer';
const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
const isCovered = () => document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]') !== null;

/** Undo is one stack for canvas, inspector and YAML, so it is handled before any field or editor. Returns whether it was. */
function undoKey(event: KeyboardEvent, design: Design): boolean {
  const key = event.key.toLowerCase();
  if (key === 'z' && event.shiftKey) design.redo();
  else if (key === 'z') design.undo();
  else if (key === 'y' && event.ctrlKey) design.redo();
  else return false;
  return true;
}

/** Returns whether the chord was one of the canvas. */
function chordKey(event: KeyboardEvent, { design, actions, readOnly }: DesignKeys): boolean {
  switch (event.key.toLowerCase()) {
    case 'a':
      actions.selectAll();
      return true;
    case 'd':
      if (!readOnly) actions.like();
      return true;
    case 'c':
      if (design.selection.nodes.length === 0 || window.getSelection()?.isCollapsed === false) return false;
      void actions.copy();
      return true;
    default:
      return false;
  }
}

function useChords(keys: DesignKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    // A click on the canvas moves the focus to an ancestor of the designer: the tab's panel, the page.
    const inside = (target: EventTarget | null) => {
      const root = latest.current.root.current;
      return root !== null && target instanceof Node && (root.contains(target) || target.contains(root));
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey || isCovered() || !inside(event.target)) return;
      const undone = !latest.current.readOnly && undoKey(event, latest.current.design);
      if (!undone && (isField(event.target) || !chordKey(event, latest.current))) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (latest.current.readOnly || isCovered() || isField(event.target) || !inside(event.target)) return;
      event.preventDefault();
      latest.current.actions.paste(event.clipboardData?.getData('text/plain') ?? '');
    };
    document.addEventListener('keydown', onKeyDown, true);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('keydown', onKeyDown, true);
      document.removeEventListener('paste', onPaste);
    };
  }, []);
}

/** Focus target when the focused item on the canvas is removed: the source of a route, or else the next remaining item. */
function neighbourOf({ model, selection: { nodes, edges } }: Design): string | undefined {
  const left = (id: string) => !nodes.includes(id);
  const removed = nodes.flatMap((id) => model.byName.get(id) ?? []);
  const ends = model.edges.filter(({ id }) => edges.includes(id)).map(({ source }) => source);
  const near = [...ends, ...removed.flatMap(({ sources, targets }) => [...sources, ...targets])];
  return near.find(left) ?? model.nodes.find(({ id }) => left(id))?.id;
}

function remove({ design, actions, canvas }: DesignKeys): void {
  const onCanvas = document.activeElement?.closest('.react-flow__node, .react-flow__edge') != null;
  const near = onCanvas ? neighbourOf(design) : undefined;
  actions.remove();
  if (near !== undefined) canvas()?.focusNode(near);
}

/** On the designer: Enter leads from a selected route to its fields, Escape from the inspector back to the selected item. */
export function paneKey(event: ReactKeyboardEvent<HTMLElement>, { design, canvas }: Pick<DesignKeys, 'design' | 'canvas'>): void {
  const { key, target, currentTarget: root } = event;
  // Events of dialogs arrive here too.
  if (!(target instanceof HTMLElement || target instanceof SVGElement) || !root.contains(target)) return;
  const { nodes, edges } = design.selection;
  const [node] = nodes;
  const [edge] = edges;
  const inspector = root.querySelector('aside[aria-label="Inspector"]');
  if (key === 'Enter' && edge !== undefined && target.closest('.react-flow__edge')?.getAttribute('data-id') === edge)
    firstField(inspector)?.focus();
  if (key !== 'Escape' || event.defaultPrevented || nodes.length + edges.length !== 1) return;
  // In a text editor Escape belongs to the editor.
  if (inspector?.contains(target) !== true || (target instanceof HTMLElement && target.isContentEditable)) return;
  event.preventDefault();
  if (node !== undefined) canvas()?.focusNode(node);
  else root.querySelector<SVGElement>(`.react-flow__edge[data-id="${CSS.escape(edge ?? '')}"]`)?.focus();
}

/** An agent or connection that Tab leads to is selected, for keys act on the selected one. After Tab is released: then it has the focus. */
export function selectFocused({ key, target }: ReactKeyboardEvent<HTMLElement>, { design }: Pick<DesignKeys, 'design'>): void {
  if (key !== 'Tab' || !(target instanceof Element)) return;
  const id = target.getAttribute('data-id') ?? '';
  const { nodes, edges } = design.selection;
  if (target.matches('.react-flow__node') && !nodes.includes(id)) design.select({ nodes: [id], edges: [] });
  if (target.matches('.react-flow__edge') && !edges.includes(id)) design.select({ nodes: [], edges: [id] });
}

export function useDesignKeys(keys: DesignKeys): void {
  const { design, actions, canvas, onFind, onOutline, onRename, readOnly } = keys;
  useChords(keys);
  const { nodes, edges } = design.selection;
  const some = nodes.length + edges.length > 0;
  const covered = useCovered();
  const edit = !readOnly;
  useShortcut({ id: 'designer.add', keys: 'a', label: 'Add an agent', group: GROUP, when: edit, run: () => actions.pick({ for: 'add' }) });
  useShortcut({
    id: 'designer.connect',
    keys: 'c',
    label: 'Connect the selected agent',
    group: GROUP,
    when: edit && nodes.length === 1,
    run: () => actions.pick({ for: 'connect', from: nodes[0] ?? '' }),
  });
  useShortcut({
    id: 'designer.rename',
    keys: 'f2',
    label: 'Rename the selected agent',
    group: GROUP,
    when: edit && nodes.length === 1 && edges.length === 0,
    run: () => onRename(nodes[0] ?? ''),
  });
  useShortcut({
    id: 'designer.remove',
    keys: 'delete',
    label: 'Remove selection',
    group: GROUP,
    when: edit && some,
    run: () => remove(keys),
  });
  useShortcut({
    id: 'designer.remove-back',
    keys: 'backspace',
    label: 'Remove',
    group: GROUP,
    when: edit && some,
    quiet: true,
    run: () => remove(keys),
  });
  useShortcut({ id: 'designer.fit', keys: 'f', label: 'Fit the canvas', group: GROUP, run: () => canvas()?.fit() });
  useShortcut({ id: 'designer.actual', keys: '1', label: 'Actual size', group: GROUP, run: () => canvas()?.actualSize() });
  useShortcut({ id: 'designer.tidy', keys: 'alt+shift+t', label: 'Tidy up', group: GROUP, run: design.tidy });
  useShortcut({ id: 'designer.find', keys: '/', label: 'Find an agent', group: GROUP, run: onFind });
  useShortcut({ id: 'designer.outline', keys: 'o', label: 'Show outline and library', group: GROUP, run: onOutline });
  useShortcut({ id: 'designer.undo', label: 'Undo', group: GROUP, when: edit && design.canUndo, run: design.undo });
  useShortcut({ id: 'designer.redo', label: 'Redo', group: GROUP, when: edit && design.canRedo, run: design.redo });
  useShortcut({
    id: 'designer.clear',
    keys: 'escape',
    label: 'Select nothing',
    group: GROUP,
    quiet: true,
    // Escape closes the visible panel first.
    when: some && !covered,
    run: () => design.select(NOTHING_SELECTED),
  });
}
