// Agents and routes in words, for screen readers and the outline. Pure.
import type { AgentFacts } from './agent-summary.ts';
import { stateLabel, type EdgeOverlay, type NodeOverlay } from './overlay.ts';
import { markLabels, type NodeMarks } from './trial-marks.ts';
import type { JoinView, SystemEdge, SystemNode } from './system-graph.ts';

const FAILURES = {
  deadletter: 'a failed source ends the run as a dead letter',
  skip: 'failed branches are skipped',
  continue_partial: 'after a failure it continues with what has arrived once all have settled',
} as const;

/** "continues when 2 of 3 arrive; failed branches are skipped". */
export function joinSentence({ needed, expected, onFailure, quorum }: JoinView): string {
  const when =
    quorum && needed < expected
      ? `when ${needed} of ${expected} arrive`
      : expected === 1
        ? 'when its source arrives'
        : `when all ${expected} arrive`;
  return `continues ${when}; ${FAILURES[onFailure]}`;
}

export function conditionText({ labels, condition, field }: Pick<SystemEdge, 'labels' | 'condition' | 'field'>): string {
  const when =
    condition === 'on_error'
      ? 'on error'
      : condition === 'always'
        ? 'always'
        : condition.startsWith('output_matches:')
          ? `when the output matches ${condition.slice('output_matches:'.length)}`
          : field === 'implied'
            ? 'in order'
            : 'on success';
  const carried = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return carried.length === 0 ? when : `${when}, with ${carried.join(' and ')}`;
}

export function edgeText(edge: SystemEdge, overlay?: EdgeOverlay): string {
  const loop = edge.kind === 'loop-back' ? ', a loop' : '';
  const run =
    overlay === undefined
      ? ''
      : overlay.dead
        ? ', a message was dead-lettered here'
        : overlay.active
          ? ', a message is in transit'
          : overlay.count > 0
            ? `, taken ${overlay.count === 1 ? 'once' : `${overlay.count} times`}`
            : ', not taken';
  return `Connection from ${edge.source} to ${edge.target}, ${conditionText(edge)}${loop}${run}`;
}

interface NodeState {
  readonly facts?: AgentFacts | undefined;
  readonly overlay?: NodeOverlay | undefined;
  readonly marks?: NodeMarks | undefined;
}

export function nodeText(node: SystemNode, { facts, overlay, marks }: NodeState = {}): string {
  const parts = [
    `Agent ${node.id}`,
    overlay && stateLabel(overlay).toLowerCase(),
    overlay?.arrived !== undefined && `${overlay.arrived} arrived`,
    ...(marks ? markLabels(marks) : []),
    node.entry && 'a run starts here',
    node.join && joinSentence(node.join),
    node.review && 'its output is reviewed by a person',
    node.terminal && (node.finalReview ? 'a run ends here after a review' : 'a run ends here'),
    !node.reachable && 'never runs',
    facts?.state === 'missing' && 'does not exist',
    facts?.state === 'unread' && 'could not be read',
    facts?.model !== undefined && `model ${facts.model}`,
    facts?.state === 'found' && (facts.tools.length === 0 ? 'no tools' : `tools ${facts.tools.map(({ name }) => name).join(', ')}`),
  ];
  return parts.filter((part): part is string => typeof part === 'string').join(', ');
}
