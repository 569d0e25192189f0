// Contract profile: tools an agent must have used and markers its output must hold.
import type { AgentSnapshot } from './snapshot.ts';
import type { TurnState } from './state.ts';

export interface ContractGap {
  readonly tools: readonly string[];
  readonly markers: readonly string[];
}

/** Unmet part of the contract; undefined when the contract is kept or the agent has none. */
export function contractGap(turn: TurnState, output: string): ContractGap | undefined {
  const { agent } = turn;
  if (agent.profile !== 'contract') return undefined;
  const tools = agent.toolSequence.filter((tool) => !turn.succeededTools.has(tool));
  const markers = agent.outputMarkers.filter((marker) => !output.includes(marker));
  return tools.length + markers.length > 0 ? { tools, markers } : undefined;
}

export function describeGap(agent: AgentSnapshot, gap: ContractGap): string {
  const parts = [
    gap.tools.length > 0 && `the tools ${gap.tools.join(', ')} have not completed`,
    gap.markers.length > 0 && `the output lacks ${gap.markers.map((marker) => JSON.stringify(marker)).join(', ')}`,
  ];
  return `contract of agent ${agent.name}: ${parts.filter(Boolean).join(' and ')}`;
}

/** Message to a model that answers too early. */
export function contractReminder(gap: ContractGap): string {
  const parts = [
    gap.tools.length > 0 && `Call these tools before you answer: ${gap.tools.join(', ')}.`,
    gap.markers.length > 0 && `The final answer must contain: ${gap.markers.map((marker) => JSON.stringify(marker)).join(', ')}.`,
  ];
  return `The answer is not complete. ${parts.filter(Boolean).join(' ')}`;
}
