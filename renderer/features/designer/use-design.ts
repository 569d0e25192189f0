// The state of one design: the text that is the truth, what was done to it, what is selected and where things stand. Knows neither server nor layout of the page.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { NOTHING_SELECTED, type GraphSelection } from '../graph/canvas-items.ts';
import type { Direction, Placement, Point } from '../graph/layout.ts';
import { readSystem, type SystemRead } from '../graph/read-system.ts';
import { systemGraph, type SystemGraphModel } from '../graph/system-graph.ts';
import { announce } from '../../ui/announcer.ts';
import { change, redo, startHistory, undo, type History } from './history.ts';
import { placementOf } from './system-text.ts';
import { parseText } from './yaml-edit.ts';

export interface Design {
  readonly text: string;
  /** The text as values; of the last text that could be read. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Whether the text of now can be read. While not, the canvas shows the last one that could, and takes no edits. */
  readonly readable: boolean;
  readonly system: SystemRead;
  readonly model: SystemGraphModel;
  readonly selection: GraphSelection;
  readonly placement: Placement;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly select: (selection: GraphSelection) => void;
  /** Does a command; the label is what undo says. Steps of one group that come quickly are one step. */
  readonly run: (label: string, command: (text: string) => string, group?: string) => void;
  /** The text as typed in the editor. */
  readonly typed: (text: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly move: (places: ReadonlyMap<string, Point>) => void;
  readonly turn: (direction: Direction) => void;
  /** Forgets all places. */
  readonly tidy: () => void;
}

interface Readable {
  readonly value: Readonly<Record<string, unknown>>;
  readonly system: SystemRead;
  readonly model: SystemGraphModel;
}

function readText(text: string): Readable | undefined {
  const document = parseText(text);
  if (document.errors.length > 0) return undefined;
  try {
    const value: unknown = document.toJS();
    const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
    const system = readSystem(object['spec']);
    return { value: object, system, model: systemGraph(system) };
  } catch {
    return undefined; // Aliases that expand to too much.
  }
}

const EMPTY: Readable = { value: {}, system: { agents: [] }, model: systemGraph({ agents: [] }) };

/** Names that are no longer there fall out of the selection by themselves. */
function kept(selection: GraphSelection, { byName, edges }: SystemGraphModel): GraphSelection {
  const ids = new Set(edges.map(({ id }) => id));
  const nodes = selection.nodes.filter((id) => byName.has(id));
  const routes = selection.edges.filter((id) => ids.has(id));
  return nodes.length === selection.nodes.length && routes.length === selection.edges.length ? selection : { nodes, edges: routes };
}

/** The text belongs to the caller, who may change it too: such changes are steps to be undone like any other. */
function useHistory({ text, setText }: TextState) {
  const history = useRef<History>(startHistory(text));
  const [, draw] = useState(0);
  const put = useCallback(
    (next: History) => {
      if (next === history.current) return;
      history.current = next;
      setText(next.text);
      draw((count) => count + 1);
    },
    [setText],
  );
  useEffect(() => {
    if (text === history.current.text) return;
    history.current = change(history.current, { text, label: 'Take another version', now: Date.now() });
    draw((count) => count + 1);
  }, [text]);
  return { history, put };
}

export interface TextState {
  readonly text: string;
  readonly setText: (text: string) => void;
}

export function useDesign(state: TextState): Design {
  const { history, put } = useHistory(state);
  const [selection, select] = useState<GraphSelection>(NOTHING_SELECTED);
  const [placement, setPlacement] = useState(() => placementOf(state.text));
  const { text } = state;
  const read = useMemo(() => readText(text), [text]);
  const last = useRef<Readable>(EMPTY);
  if (read) last.current = read;
  const { value, system, model } = read ?? last.current;
  const readable = read !== undefined;
  const visible = useMemo(() => kept(selection, model), [selection, model]);
  const step = useCallback(
    (label: string, next: string, group?: string) =>
      put(change(history.current, { text: next, label, now: Date.now(), ...(group !== undefined && { group }) })),
    [put, history],
  );
  const run = useCallback<Design['run']>(
    (label, command, group) => {
      step(label, command(history.current.text), group);
      announce(label);
    },
    [step, history],
  );
  const typed = useCallback((next: string) => step('Edit the text', next, 'typing'), [step]);
  const move = useCallback((places: ReadonlyMap<string, Point>) => {
    setPlacement((before) => ({ ...before, positions: new Map([...before.positions, ...places]) }));
  }, []);
  return {
    text,
    value,
    readable,
    system,
    model,
    selection: visible,
    placement,
    canUndo: history.current.past.length > 0,
    canRedo: history.current.future.length > 0,
    select,
    run,
    typed,
    undo: useCallback(() => {
      announce(`Undone: ${history.current.past.at(-1)?.label ?? 'nothing'}`);
      put(undo(history.current));
    }, [history, put]),
    redo: useCallback(() => {
      announce(`Done again: ${history.current.future[0]?.label ?? 'nothing'}`);
      put(redo(history.current));
    }, [history, put]),
    move,
    turn: useCallback((direction) => setPlacement({ direction, positions: new Map() }), []),
    tidy: useCallback(() => setPlacement((before) => ({ ...before, positions: new Map() })), []),
  };
}
