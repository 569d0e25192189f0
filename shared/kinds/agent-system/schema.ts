// Shapes of AgentSystem: agents and the graph that routes between them. Source: SPEC "AgentSystem", DECISIONS section 3 "Edges" and "Review points".
import { z } from 'zod';
import { commonStatus, duration, flag, group, integer, listOf, mapOf, names, requiredText, text, textMap } from '../fields.ts';

export const JOIN_MODES = ['wait_for_all', 'quorum'] as const;
export const JOIN_FAILURE_MODES = ['deadletter', 'skip', 'continue_partial'] as const;
export const A2A_AUTH_MODES = ['bearer', 'public'] as const;

const review = (description: string) =>
  group(description, {
    checkpoint_id: requiredText('Stable name of this review point; unique in the system.'),
    reason: text('Why a person is asked; shown to the reviewer.'),
    ttl: duration('How long a decision may take before the run fails with approval_timeout.', { defaultText: '10m' }),
    allow_request_changes: flag('Whether the reviewer may send the work back.', { defaultText: 'true' }),
    max_review_cycles: integer('The review cycle from which work can no longer be sent back.', { defaultText: '3' }),
  });

const graphRoute = z.strictObject({
  to: requiredText('The agent the output goes to.', { format: 'ref:Agent' }),
  labels: textMap('Labels the output must carry for this route to be taken; none means always.'),
  policy: textMap('`condition` says when the route is taken: always, on_error, or output_matches:<RE2 regular expression>.'),
});

const graphNode = z.strictObject({
  next: text('The one agent the output goes to; older form of edges.', { format: 'ref:Agent' }),
  edges: listOf('Routes out of this node. All that match are taken; when none matches, the branch ends here.', graphRoute),
  join: group('How messages of several nodes are brought together. Values that are not allowed become the defaults.', {
    mode: text('Wait for every source, or for a quorum of them.', { defaultText: 'wait_for_all', values: JOIN_MODES }),
    quorum_count: integer('Sources that make a quorum; at most the number of sources.'),
    quorum_percent: integer('Share of the sources that makes a quorum, 0 to 100.'),
    on_failure: text('What a failed source does: end the task as dead letter, be left out, or be noted once all have settled.', {
      defaultText: 'deadletter',
      values: JOIN_FAILURE_MODES,
    }),
  }),
  review: review('Pauses after this agent until a person has reviewed its output.'),
});

export const agentSystemSpec = z.strictObject({
  agents: names('The participating agents.', { format: 'ref:Agent' }),
  graph: mapOf('Routes by node; a node is the name of one of the agents. Without a graph the agents run one after the other.', graphNode),
  completion_review: review('Pauses before the task ends until a person has reviewed its output.'),
  a2a: group('Inbound agent-to-agent calls.', {
    enabled: flag('Whether other agents may call this system.', { defaultText: 'false' }),
    auth: text('Who may call: holders of a token, or anyone.', { defaultText: 'bearer', values: A2A_AUTH_MODES }),
  }),
});

export const agentSystemStatus = z.strictObject(commonStatus);

export type AgentSystemSpec = z.infer<typeof agentSystemSpec>;
export type AgentSystemStatus = z.infer<typeof agentSystemStatus>;
export type GraphNode = z.infer<typeof graphNode>;
export type GraphRoute = z.infer<typeof graphRoute>;
export type ReviewPoint = NonNullable<AgentSystemSpec['completion_review']>;
