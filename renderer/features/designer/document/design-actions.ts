// The commands of the user interface: named, applied to the selection, with the next selection. One list for canvas, outline, menus and
// keys.
import { useMemo, useState } from 'react';
import { nameProblem, parseRef } from '@svc/shared/resource';
import { announce } from '../../../ui/feedback/announcer.ts';
import { copyText } from '../../../ui/button/copy-text.ts';
import { toastInfo } from '../../../ui/overlay/toast.ts';
import { NOTHING_SELECTED } from '../../../graph/canvas-items.ts';
import { boxesOf, type Point } from '../../../graph/layout.ts';
import { cardSize, cardSizes } from '../../../graph/node-size.ts';
import type { SystemEdge } from '../../../graph/system-graph.ts';
import { boundsOf } from '../../../graph/view.ts';
import {
  addAgent,
  addLike,
  connect,
  copyOf,
  disconnectAll,
  insertOnEdge,
  mayConnect,
  moveEdge,
  paste,
  pasteable,
  removeAgents,
} from './commands.ts';
import { draftId, newDraft, type Drafts } from './drafts.ts';
import type { Design } from './use-design.ts';

/** Purpose for which the picker of agents was opened. */
export type PickFor =
  | { readonly for: 'add'; readonly at?: Point }
  | { readonly for: 'connect'; readonly from: string; readonly at?: Point }
  | { readonly for: 'insert'; readonly edge: SystemEdge }
  | { readonly for: 'like'; readonly like: string };

export interface DesignActions {
  readonly picking: PickFor | undefined;
  readonly pick: (what: PickFor | undefined) => void;
  /** The picker chose these; those of the second list do not exist yet and are drafted. */
  readonly picked: (agents: readonly string[], unknown: readonly string[]) => void;
  /** Drafts agents that the system names and that do not exist. */
  readonly make: (agents: readonly string[]) => void;
  readonly add: (agent: string, at?: Point) => void;
  readonly insert: (agent: string, edge: SystemEdge) => void;
  readonly connect: (source: string, target: string) => void;
  readonly mayConnect: (source: string, target: string) => boolean;
  readonly remove: () => void;
  readonly removeItems: (agents: readonly string[], edges: readonly string[]) => void;
  readonly moveRoute: (edge: SystemEdge, to: number) => void;
  readonly selectAll: () => void;
  readonly copy: () => Promise<void>;
  readonly paste: (clip: string) => void;
  readonly like: () => void;
  readonly cannot: string | undefined;
}

const UNREADABLE = 'The YAML is not valid. Fix it first';
const GAP = 72;

/** Free position beside the selection, or below everything. */
function freePlace({ model, placement, selection }: Design, agent: string): Point | undefined {
  if (placement.positions.size === 0) return undefined;
  const boxes = boxesOf(model, cardSizes(model), placement);
  const near = boxes.get(selection.nodes[0] ?? '');
  const size = cardSize(agent);
  const bounds = boundsOf(boxes.values());
  const taken = (at: Point) =>
    [...boxes.values()].some(
      (box) => at.x < box.x + box.width && box.x < at.x + size.width && at.y < box.y + box.height && box.y < at.y + size.height,
    );
  const beside = near && { x: near.x + near.width + GAP, y: near.y };
  return beside && !taken(beside) ? beside : { x: bounds.x, y: bounds.y + bounds.height + GAP };
}

/** Once one agent has a fixed position, all keep theirs: nothing else may jump. */
function settle(design: Design, more: ReadonlyMap<string, Point>): void {
  if (design.placement.positions.size === 0) {
    const boxes = boxesOf(design.model, cardSizes(design.model), design.placement);
    design.place(new Map([...boxes].map(([id, { x, y }]) => [id, { x, y }])));
  }
  design.place(more);
}

/** Where new agents are made, and the spec they begin with. */
export interface NewAgents {
  readonly namespace: string;
  readonly spec: () => Readonly<Record<string, unknown>>;
}

/** Names of agents that can be made here: of this namespace, and valid. */
function makeable(agents: readonly string[], namespace: string): readonly string[] {
  return agents.flatMap((ref) => {
    const at = parseRef(ref, namespace);
    return at.namespace === namespace && nameProblem(at.name) === undefined ? [at.name] : [];
  });
}

function withAgents(drafts: Drafts, agents: readonly string[], { namespace, spec }: NewAgents): Drafts {
  const made = makeable(agents, namespace).map((name) => newDraft({ kind: 'Agent', namespace, name }, spec()));
  const fresh = made.filter((draft) => !drafts.has(draftId(draft)));
  return fresh.length === 0 ? drafts : new Map([...drafts, ...fresh.map((draft) => [draftId(draft), draft] as const)]);
}

/** One undo step over the text, together with the agents that it makes. */
type Step = (label: string, command: (text: string) => string) => void;

function placing(design: Design) {
  return (agents: readonly string[], at: Point | undefined) => {
    const [first = ''] = agents;
    const free = at ?? freePlace(design, first);
    const beside = ({ x, y }: Point, index: number) => ({ x: x + index * (cardSize(first).width + GAP), y });
    const places = free && new Map(agents.map((agent, index) => [agent, beside(free, index)]));
    if (places && at) settle(design, places);
    else if (places) design.place(places);
    design.select({ nodes: [first], edges: [] });
  };
}

function additions(design: Design, guarded: (act: () => void) => void, step: Step) {
  const place = placing(design);
  return {
    add: (agents: readonly string[], at?: Point) =>
      guarded(() => {
        const added = agents.filter((agent) => !design.model.byName.get(agent)?.listed);
        if (added.length === 0)
          return void toastInfo(agents.length === 1 ? `${agents[0]} is already in the system` : 'All of them are already in the system');
        step(`Add ${added.join(', ')}`, (text) => added.reduce(addAgent, text));
        place(added, at);
      }),
    insert: (agent: string, edge: SystemEdge) =>
      guarded(() => {
        if (agent === edge.source || agent === edge.target) return void toastInfo(`${agent} is already at one end of this connection`);
        step(`Put ${agent} between ${edge.source} and ${edge.target}`, (text) => insertOnEdge(text, edge, agent));
        place([agent], undefined);
      }),
    connect: (source: string, targets: readonly string[], at?: Point) =>
      guarded(() => {
        const open = targets.filter((target) => mayConnect(design.system, source, target));
        if (open.length === 0) return void toastInfo(`${source} is already connected to ${targets.join(', ')}`);
        step(`Connect ${source} to ${open.join(', ')}`, (text) => open.reduce((before, target) => connect(before, source, target), text));
        const made = open.filter((target) => !design.model.byName.has(target));
        if (made.length > 0) place(made, at);
      }),
    like: (agent: string, like: string) =>
      guarded(() => {
        step(`Add ${agent} with the connections of ${like}`, (text) => addLike(text, agent, like));
        place([agent], undefined);
      }),
  };
}

function removals(design: Design, guarded: (act: () => void) => void) {
  return (agents: readonly string[], ids: readonly string[]) =>
    guarded(() => {
      const routes = design.model.edges.filter(
        ({ id, source, target }) => ids.includes(id) && !agents.includes(source) && !agents.includes(target),
      );
      if (agents.length + routes.length === 0) return;
      const what =
        agents.length > 0 ? agents.join(', ') : routes.map(({ source, target }) => `the connection from ${source} to ${target}`).join(', ');
      design.run(`Remove ${what}`, (text) => removeAgents(disconnectAll(text, routes), agents));
      design.select(NOTHING_SELECTED);
    });
}

export function useDesignActions(design: Design, fresh: NewAgents): DesignActions {
  const [picking, pick] = useState<PickFor>();
  return useMemo((): DesignActions => {
    const cannot = design.readable ? undefined : UNREADABLE;
    const guarded = (act: () => void) => (cannot === undefined ? act() : toastInfo(cannot));
    const making =
      (unknown: readonly string[]): Step =>
      (label, command) =>
        design.edit(label, ({ text, drafts }) => ({ text: command(text), drafts: withAgents(drafts, unknown, fresh) }));
    const adding = additions(design, guarded, making([]));
    const removeItems = removals(design, guarded);
    const { nodes, edges } = design.selection;
    return {
      picking,
      pick,
      picked: (agents, unknown) => {
        pick(undefined);
        const [agent = ''] = agents;
        const { add, connect: join, insert, like } = additions(design, guarded, making(unknown));
        if (picking?.for === 'connect') join(picking.from, agents, picking.at);
        else if (picking?.for === 'insert') insert(agent, picking.edge);
        else if (picking?.for === 'like') like(agent, picking.like);
        else add(agents, picking?.at);
      },
      make: (agents) =>
        guarded(() => {
          design.edit(`Create ${agents.join(', ')}`, ({ drafts }) => ({ drafts: withAgents(drafts, agents, fresh) }));
          design.select({ nodes: agents.slice(0, 1), edges: [] });
        }),
      add: (agent, at) => adding.add([agent], at),
      insert: adding.insert,
      connect: (source, target) => adding.connect(source, [target]),
      mayConnect: (source, target) => design.readable && mayConnect(design.system, source, target),
      remove: () => removeItems(nodes, edges),
      removeItems,
      moveRoute: (edge, to) =>
        guarded(() => design.run(`Move the connection to ${edge.target} to place ${to + 1}`, (text) => moveEdge(text, edge, to))),
      selectAll: () => {
        design.select({ nodes: design.model.nodes.map(({ id }) => id), edges: design.model.edges.map(({ id }) => id) });
        announce(`${design.model.nodes.length} agents selected`);
      },
      copy: async () => {
        const copied = nodes.length > 0 && (await copyText(copyOf(design.text, nodes)));
        if (nodes.length > 0)
          announce(
            copied ? `${nodes.length === 1 ? '1 agent' : `${nodes.length} agents`} copied as YAML` : 'The browser did not allow copying',
          );
      },
      paste: (clip) =>
        guarded(() => {
          const part = pasteable(clip);
          if (!part) return void toastInfo('The clipboard has no agents. Copy some on a canvas first');
          const added = part.agents.filter((agent) => !design.model.byName.get(agent)?.listed);
          if (added.length === 0) return void toastInfo('All copied agents are already in the system');
          design.run(`Paste ${added.join(', ')}`, (text) => paste(text, clip));
          design.select({ nodes: added, edges: [] });
        }),
      like: () => {
        const [like] = nodes;
        if (like === undefined) toastInfo('Select an agent first');
        else pick({ for: 'like', like });
      },
      cannot,
    };
  }, [design, picking, fresh]);
}
