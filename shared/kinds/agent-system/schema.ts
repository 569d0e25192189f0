// Shapes of AgentSystem: agents and the graph that routes their output (docs/systems.md).
import { z } from 'zod';
import { anyObject, commonStatus, duration, flag, group, integer, listOf, mapOf, names, requiredText, text, textMap } from '../fields.ts';

export const JOIN_MODES = ['wait_for_all', 'quorum'] as const;
export const JOIN_FAILURE_POLICIES = ['deadletter', 'skip', 'continue_partial'] as const;
export const A2A_AUTH_MODES = ['bearer', 'public'] as const;

const reviewFields = {
  checkpoint_id: requiredText('Stable id of this review point.'),
  reason: text('Reason for the review; shown with the approval.'),
  ttl: duration('How long the decision may take.', { defaultText: '10m' }),
  allow_request_changes: flag('Whether the reviewer may send the output back.', { defaultText: 'true' }),
  max_review_cycles: integer('Reviews of one output at most: the last of them can only be approved or denied.', { defaultText: '3' }),
};

const route = z.strictObject({
  to: requiredText('Agent that receives the output.'),
  labels: textMap('The route is taken when the output carries all of these labels; none means always.'),
  policy: textMap('`condition` is always, on_error or output_matches:<RE2 pattern>; without it the route is taken on success.'),
});

const node = z.strictObject({
  next: text('Single next agent; edges says more.'),
  edges: listOf('Routes to the next agents; several taken ones run in parallel.', route),
  join: group('How messages of several sources are collected before this agent runs. Invalid values become the defaults.', {
    mode: text('Wait for every source, or for a quorum of them.', { defaultText: 'wait_for_all', values: JOIN_MODES }).catch(undefined),
    quorum_count: integer('Sources that make a quorum; 0 leaves it to quorum_percent.').catch(undefined),
    quorum_percent: integer('Share of the sources that makes a quorum, 0 to 100.').catch(undefined),
    on_failure: text('What a failed source does: dead-letter the task, be left out, or let the node run once all have settled.', {
      defaultText: 'deadletter',
      values: JOIN_FAILURE_POLICIES,
    }).catch(undefined),
  }),
  review: group('A person reviews this agent’s output before its routes are taken.', reviewFields),
});

export const agentSystemSpec = z.strictObject({
  agents: names('Agents that take part.', { format: 'ref:Agent' }),
  graph: mapOf('Routing by agent name. Without a graph the agents run in the listed order.', node),
  completion_review: group('A person reviews the final output before the task succeeds.', reviewFields),
  a2a: group('Calls from other agents over A2A.', {
    enabled: flag('Opens the system to inbound A2A.', { defaultText: 'false' }),
    auth: text('Who may call: holders of a token, or anyone.', { defaultText: 'bearer', values: A2A_AUTH_MODES }),
  }),
  mcp: group('Calls from MCP clients: the system is a tool of `POST /mcp`.', {
    enabled: flag('Lists the system as a tool.', { defaultText: 'false' }),
    input_schema: anyObject('JSON Schema of the tool’s arguments, which become the input of the Task; absent: one text, `message`.'),
  }),
});

export const agentSystemStatus = z.strictObject(commonStatus);

export type WrittenAgentSystemSpec = z.infer<typeof agentSystemSpec>;
export type WrittenGraphNode = NonNullable<WrittenAgentSystemSpec['graph']>[string];
export type WrittenGraphRoute = NonNullable<WrittenGraphNode['edges']>[number];
export type WrittenGraphJoin = NonNullable<WrittenGraphNode['join']>;
export type WrittenReview = NonNullable<WrittenGraphNode['review']>;
