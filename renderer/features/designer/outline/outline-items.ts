// The system as lines of an outline, in the order of a run. Pure.
import { conditionText, joinSentence } from '../../../graph/accessible-text.ts';
import type { SystemEdge, SystemGraphModel, SystemNode } from '../../../graph/system-graph.ts';

interface OutlineLine {
  readonly id: string;
  /** Its place among the agents, or among the routes of its agent, from 0. */
  readonly place: number;
  readonly of: number;
}

export type OutlineItem =
  | (OutlineLine & { readonly kind: 'agent'; readonly node: SystemNode; readonly notes: readonly string[]; readonly routes: number })
  | (OutlineLine & { readonly kind: 'route'; readonly edge: SystemEdge; readonly words: string });

function inOrder({ nodes, byName }: SystemGraphModel): SystemNode[] {
  const seen = new Set<string>();
  const order: SystemNode[] = [];
  const open = nodes.filter(({ entry }) => entry).map(({ id }) => id);
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const node = byName.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    order.push(node);
    open.push(...node.targets);
  }
  return [...order, ...nodes.filter(({ id }) => !seen.has(id))];
}

function notesOf(node: SystemNode): string[] {
  const notes = [
    node.entry && 'start',
    node.join && joinSentence(node.join),
    node.review && 'reviewed by a person',
    node.terminal && (node.finalReview ? 'end, after a review' : 'end'),
    !node.reachable && 'never runs',
    !node.listed && 'not in the list of agents',
  ];
  return notes.filter((note): note is string => typeof note === 'string');
}

/** Agents with their routes below them; those in `closed` without. */
export function outlineItems(model: SystemGraphModel, closed: ReadonlySet<string>): OutlineItem[] {
  const of = model.nodes.length;
  return inOrder(model).flatMap((node, place): OutlineItem[] => {
    const routes = model.edges.filter(({ source }) => source === node.id);
    const agent: OutlineItem = { kind: 'agent', id: node.id, place, of, node, notes: notesOf(node), routes: routes.length };
    if (closed.has(node.id)) return [agent];
    return [
      agent,
      ...routes.map((edge, index): OutlineItem => {
        const words = conditionText(edge) + (edge.kind === 'loop-back' ? ', a loop' : '');
        return { kind: 'route', id: edge.id, edge, words, place: index, of: routes.length };
      }),
    ];
  });
}
