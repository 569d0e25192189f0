// Meaning of each failure code and advice, in plain words. Pure; the codes are those of docs/engine.md and of model and tool calls.

export interface Advice {
  /** Description of the failure. */
  readonly title: string;
  readonly happened: string;
  /** Next steps, most promising first. */
  readonly attempts: readonly string[];
}

const advice = (title: string, happened: string, attempts: readonly string[]): Advice => ({ title, happened, attempts });

const ADVICE: Readonly<Record<string, Advice>> = {
  // ---- of the run
  validation_failed: advice(
    'The run could not begin',
    'Something it needs is missing, or its graph cannot run. The message names everything at once.',
    ['Create what is missing, or correct the reference in the system.', 'Then retry: the retry uses the current definitions.'],
  ),
  max_steps_reached: advice('An agent used up its steps', 'It still requested tools at its last step, so there is no answer.', [
    'Raise limits.max_steps of the agent.',
    'Look in the trace for a tool that is called again and again, and say in the prompt when to stop.',
  ]),
  conversation_too_long: advice(
    'An agent’s conversation is too long',
    'The results of its tools are longer together than any model takes.',
    [
      'Look in the trace for the tools with the longest results, and let them return less.',
      'Split the work: give each part to an agent of its own.',
    ],
  ),
  empty_output: advice(
    'The model returned an empty answer',
    'The provider ended the answer without text. Its reason, if it gave one, is in the trace.',
    ['Retry; such answers often pass.', 'If the reason is content_filter or length, change the prompt or the output limit of the model.'],
  ),
  output_too_long: advice(
    'An agent’s output is too long to route',
    'The conditions of its connections are patterns that would take too long on this output.',
    ['Use labels, or shorter patterns.', 'Ask in the prompt for a shorter answer.'],
  ),
  timeout: advice('It took too long', 'A turn of an agent, or a call of it, did not end within its limit. Calls in flight were aborted.', [
    'See in the trace which call took the time.',
    'Raise limits.timeout of the agent, or the timeout of the tool or model endpoint.',
    'Allow more attempts with spec.message_retry.',
  ]),
  contract_violation: advice(
    'An agent broke its contract',
    'Its contract demands tool calls that it never made, and there were no steps left to remind it.',
    ['Compare the contract of the agent with its tools and its prompt.', 'Raise limits.max_steps, so that it can be reminded.'],
  ),
  message_limit_reached: advice('Too many messages', 'One attempt may pass on 10,000 messages between agents, and it has.', [
    'Look for a cycle that never ends: bound it by max_turns, or add a condition to its exit connection.',
  ]),
  policy_violation: advice(
    'Forbidden by a policy',
    'An agent policy forbids the model or the tool. The trace shows the rule beside the call.',
    ['Check agent and tool in the simulator.', 'Use another model or tool, or change the policy.'],
  ),
  permission_denied: advice(
    'The tool is not allowed',
    'A rule denies the call, or the agent holds no role with a permission that the tool requires. The call was not made.',
    [
      'Open the call: it names the rule that decided. A changed rule can be tried in the simulator.',
      'Change the rule, for example to approval_required, or give the agent a role that holds the permission.',
    ],
  ),
  token_budget_exceeded: advice('Token budget exceeded', 'The run used all tokens that its policies allow for its attempts and branches.', [
    'The Metrics tab shows which agent used the most.',
    'Shorten prompts or messages, or raise max_tokens_per_run in the policy.',
  ]),
  approval_denied: advice('Denied', 'The call or output was denied, which ends the run. The comment is shown with the approval.', [
    'Read the comment under Approvals.',
    'Retry with another input.',
  ]),
  approval_timeout: advice('No decision before expiry', 'The approval expired before anyone decided, which ends the run.', [
    'Retry, and decide in the inbox while the approval is open.',
    'Give more time: ttl of the permission or of the review.',
  ]),
  breakpoint_timeout: advice('Nobody continued the run', 'It waited at a breakpoint until its deadline, which ends a trial.', [
    'Run the trial again, and continue it on its page before the deadline.',
    'Give more time: the deadline of the trial, spec.trial.wait.',
  ]),
  cancelled: advice('Cancelled', 'The run was cancelled. Completed tool calls are not undone.', ['Retry to run it again from the start.']),
  poisoned: advice(
    'The run lost its worker too often',
    'Several workers in a row stopped while they ran it, so the server gave it up to protect the others.',
    ['Read the logs of the workers that its history names.', 'Remove the cause, such as an input that uses up memory. Then retry.'],
  ),
  internal_error: advice('The engine failed', 'This is a defect of the server, not of your system. No recorded data is lost.', [
    'Retry once.',
    'If it happens again, read the server’s log and export this run for a report.',
  ]),
  // ---- of a model or tool call
  invalid_input: advice('Input does not match the schema', 'The arguments are not a JSON object or do not match the tool’s input schema.', [
    'Check the arguments in the trace.',
    'Make the schema or its descriptions clearer, or correct the input of the run.',
  ]),
  unsupported_tool: advice(
    'A tool that the agent does not have',
    'The model requested a tool that the agent does not list, or of a kind this server cannot call.',
    ['Add the tool to the agent, or remove its mention from the prompt.', 'Check under Server what this server supports.'],
  ),
  runtime_policy_invalid: advice(
    'The settings make no sense',
    'The runtime settings of the tool or the model endpoint contradict each other or cannot be carried out.',
    ['Correct what the message names.'],
  ),
  isolation_unavailable: advice(
    'The tool cannot be isolated here',
    'It requires a sandbox or container that its worker does not have, and it never runs without one.',
    [
      'See under Workers what each can isolate, and why an engine does not answer.',
      'Start the engine, or route the run to a worker that has it.',
    ],
  ),
  secret_resolution_failed: advice(
    'A secret could not be read',
    'A Secret that a model or tool refers to is missing, lacks the key, or cannot be opened by the worker.',
    ['Check the name and key of the Secret in this namespace.', 'Check that the worker has the right encryption key.'],
  ),
  canceled: advice('A call was aborted', 'A cancel or a stopping worker aborted the call.', ['Retry.']),
  execution_failed: advice('A call failed', 'The model provider or the tool returned an error. The trace shows it beside the call.', [
    '5xx errors are usually temporary: retry. 4xx errors: fix the request.',
    'Allow more attempts with spec.retry or spec.message_retry.',
  ]),
  auth_invalid: advice('The credentials were refused', 'The endpoint rejected the token or key.', [
    'Renew the Secret that the model endpoint or tool refers to.',
  ]),
  auth_forbidden: advice('The credentials lack permission', 'The endpoint accepts the credentials but refuses this call.', [
    'Give the account behind the Secret the rights that the call needs.',
  ]),
  egress_blocked: advice('The address is not allowed', 'Outbound connections to this address are blocked.', [
    'Check the address for a mistake.',
    'For a service in your own network, allow private addresses on the tool or endpoint.',
  ]),
  rate_limited: advice('Too many requests', 'The provider limited the request rate for longer than the attempts lasted.', [
    'Retry later.',
    'Allow more attempts with a longer backoff, or start fewer runs at once.',
  ]),
  malformed_response: advice('Malformed response', 'The model provider returned a response that its protocol does not define.', [
    'Retry. If it fails again, check that the endpoint uses the declared protocol.',
  ]),
  model_not_found: advice('Unknown model', 'The provider does not offer the requested model.', [
    'Correct default_model of the model endpoint.',
    'Check that the account has access to the model.',
  ]),
};

const UNKNOWN = advice('The run failed', 'The server reported an unknown reason.', [
  'Read the message and the last failing span of the trace.',
]);

/** Total: a code from a newer server has the general text. */
export function adviceFor(code: string | undefined): Advice {
  return (code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined) ?? UNKNOWN;
}
