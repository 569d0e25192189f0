// The state of one design: the text as the single truth, its history, the selection and the positions. Independent of server and page
// layout.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isObject } from '@svc/shared/json';
import { readObject } from '../../../yaml/serialise.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { NOTHING_SELECTED, type GraphSelection } from '../../../graph/canvas-items.ts';
import type { Direction, Placement, Point } from '../../../graph/layout.ts';
import { readSystem, type SystemRead } from '../../../graph/read-system.ts';
import { systemGraph, type SystemGraphModel } from '../../../graph/system-graph.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import type { Drafts } from './drafts.ts';
import { amend, change, redo, startHistory, undo, withoutDrafts, type Change, type History } from './history.ts';
import { placementOf } from './system-text.ts';

export interface Design {
  readonly text: string;
  /** The text as values; of the last text that could be read. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Whether the current text can be read. If not, the canvas shows the last readable one, and accepts no edits. */
  readonly readable: boolean;
  /** Place and reason of a syntax error; undefined without one. */
  readonly unreadable: string | undefined;
  readonly system: SystemRead;
  readonly model: SystemGraphModel;
  readonly selection: GraphSelection;
  readonly placement: Placement;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly select: (selection: GraphSelection) => void;
  /** Executes a command; the label is the text of undo. Quick steps of one group are one step. */
  readonly run: (label: string, command: (text: string) => string, group?: string) => void;
  /** Objects drafted beside the system. */
  readonly drafts: Drafts;
  /** One undo step over the text and the drafts. */
  readonly edit: (label: string, change: (before: UndoState) => Partial<UndoState>, group?: string) => void;
  /** The text as typed in the editor. */
  readonly typed: (text: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** `agents` were moved; `places` may contain more, which stay. */
  readonly move: (agents: readonly string[], places: ReadonlyMap<string, Point>) => void;
  /** Position of an added agent: no step of its own. */
  readonly place: (places: ReadonlyMap<string, Point>) => void;
  readonly turn: (direction: Direction) => void;
  /** Removes all positions that were set by hand. */
  readonly tidy: () => void;
}

/** State that one undo step may change. */
interface UndoState {
  readonly text: string;
  readonly drafts: Drafts;
}

interface Readable {
  readonly value: Readonly<Record<string, unknown>>;
  readonly system: SystemRead;
  readonly model: SystemGraphModel;
}

function readText(text: string): Readable | undefined {
  const read = onlyValueOf(text);
  const value = read && (read.value ?? {});
  if (!isObject(value)) return undefined;
  const system = readSystem(value['spec']);
  return { value, system, model: systemGraph(system) };
}

function firstError(text: string): string {
  const found = readObject(text);
  const [first] = 'errors' in found ? found.errors : [];
  return first ? `Line ${first.line}: ${first.message.split('\n')[0]}` : 'The text must be one YAML document.';
}

const EMPTY: Readable = { value: {}, system: { agents: [] }, model: systemGraph({ agents: [] }) };

/** Names that no longer exist drop out of the selection. */
function kept(selection: GraphSelection, { byName, edges }: SystemGraphModel): GraphSelection {
  const ids = new Set(edges.map(({ id }) => id));
  const nodes = selection.nodes.filter((id) => byName.has(id));
  const routes = selection.edges.filter((id) => ids.has(id));
  return nodes.length === selection.nodes.length && routes.length === selection.edges.length ? selection : { nodes, edges: routes };
}

/** The text belongs to the caller, who may change it too: such changes are undo steps like any other. */
function useHistory({ text, setText, drafts, setDrafts, epoch }: TextState) {
  const [first] = useState(() => startHistory({ text, placement: placementOf(text), drafts }));
  const history = useRef<History>(first);
  const seen = useRef(epoch);
  const [, draw] = useState(0);
  const put = useCallback(
    (next: History) => {
      if (next === history.current) return;
      if (next.text !== history.current.text) setText(next.text);
      if (next.drafts !== history.current.drafts) setDrafts(next.drafts);
      history.current = next;
      draw((count) => count + 1);
    },
    [setText, setDrafts],
  );
  useEffect(() => {
    if (epoch !== seen.current) {
      seen.current = epoch;
      history.current = startHistory({ text, drafts, placement: history.current.placement });
      draw((count) => count + 1);
    }
    if (text === history.current.text && drafts === history.current.drafts) return;
    const begun = drafts === history.current.drafts ? history.current : withoutDrafts(history.current);
    history.current = change(begun, { text, drafts, label: 'Load another version', now: Date.now() });
    draw((count) => count + 1);
  }, [text, drafts, epoch]);
  return { history, put };
}

export interface TextState {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly drafts: Drafts;
  readonly setDrafts: (drafts: Drafts) => void;
  /** The history restarts when this grows: earlier texts lack a concurrent change. */
  readonly epoch: number;
}

const merged = (placement: Placement, places: ReadonlyMap<string, Point>): Placement => ({
  ...placement,
  positions: new Map([...placement.positions, ...places]),
});

/** Positions set by hand: undo steps like those of the text, which they do not change. */
function usePlaces({ history, put }: ReturnType<typeof useHistory>) {
  const step = useCallback((made: Omit<Change, 'now'>) => put(change(history.current, { ...made, now: Date.now() })), [history, put]);
  const move = useCallback<Design['move']>(
    (agents, places) => {
      const label = agents.length === 1 ? `Move ${agents[0]}` : `Move ${agents.length} agents`;
      step({ label, placement: merged(history.current.placement, places), group: `move ${agents.join(' ')}` });
    },
    [history, step],
  );
  const place = useCallback<Design['place']>(
    (places) => put(amend(history.current, merged(history.current.placement, places))),
    [history, put],
  );
  const turn = useCallback<Design['turn']>(
    (direction) => {
      if (direction !== history.current.placement.direction)
        step({ label: 'Turn the canvas', placement: { direction, positions: new Map() } });
    },
    [history, step],
  );
  const tidy = useCallback(() => {
    const { placement } = history.current;
    if (placement.positions.size > 0) step({ label: 'Tidy up', placement: { ...placement, positions: new Map() } });
  }, [history, step]);
  return { move, place, turn, tidy };
}

export function useDesign(state: TextState): Design {
  const versions = useHistory(state);
  const { history, put } = versions;
  const { placement } = history.current;
  const places = usePlaces(versions);
  const [selection, select] = useState<GraphSelection>(NOTHING_SELECTED);
  const { text } = state;
  const read = useMemo(() => readText(text), [text]);
  const last = useRef<Readable>(EMPTY);
  if (read) last.current = read;
  const { value, system, model } = read ?? last.current;
  const readable = read !== undefined;
  const unreadable = useMemo(() => (readable ? undefined : firstError(text)), [readable, text]);
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
  const edit = useCallback<Design['edit']>(
    (label, command, group) => {
      const before = { text: history.current.text, drafts: history.current.drafts };
      put(change(history.current, { ...command(before), label, now: Date.now(), ...(group !== undefined && { group }) }));
      if (group === undefined) announce(label);
    },
    [put, history],
  );
  const typed = useCallback((next: string) => step('Edit the text', next, 'typing'), [step]);
  return {
    text,
    value,
    readable,
    unreadable,
    system,
    model,
    selection: visible,
    placement,
    canUndo: history.current.past.length > 0,
    canRedo: history.current.future.length > 0,
    select,
    run,
    drafts: history.current.drafts,
    edit,
    typed,
    undo: useCallback(() => {
      announce(`Undone: ${history.current.past.at(-1)?.label ?? 'nothing'}`);
      put(undo(history.current));
    }, [history, put]),
    redo: useCallback(() => {
      announce(`Redone: ${history.current.future[0]?.label ?? 'nothing'}`);
      put(redo(history.current));
    }, [history, put]),
    ...places,
  };
}
