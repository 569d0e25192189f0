// What each code of a failure means and what to try, in plain words. Pure; the codes are those of docs/engine.md and of model and tool calls.

export interface Advice {
  /** What happened. */
  readonly title: string;
  readonly happened: string;
  /** What to try, most promising first. */
  readonly attempts: readonly string[];
}

const advice = (title: string, happened: string, attempts: readonly string[]): Advice => ({ title, happened, attempts });

const ADVICE: Readonly<Record<string, Advice>> = {
  // ---- of the run
  validation_failed: advice(
    'The run could not begin',
    'Something it needs is missing, or its graph cannot run. The message names everything at once.',
    ['Create what is missing, or correct the reference in the system.', 'Then retry: the definitions are read afresh.'],
  ),
  max_steps_reached: advice('An agent used up its steps', 'It still asked for tools when it had no step left, so there is no answer.', [
    'Raise limits.max_steps of the agent.',
    'Look in the trace for a tool that is called again and again, and say in the prompt when to stop.',
  ]),
  empty_output: advice(
    'The model answered with nothing',
    'The provider ended the answer without text. The reason, where it gave one, stands in the trace.',
    ['Retry; such answers often pass.', 'If the reason is content_filter or length, change the prompt or the output limit of the model.'],
  ),
  timeout: advice('It took too long', 'A turn of an agent, or a call of it, did not end within its limit. Calls under way were aborted.', [
    'Look in the trace which call took the time.',
    'Raise limits.timeout of the agent, or the timeout of the tool or model endpoint.',
    'Allow more attempts with spec.message_retry.',
  ]),
  contract_violation: advice(
    'An agent broke its contract',
    'Its contract demands tool calls that it never made, and there were no steps left to remind it.',
    ['Compare the contract of the agent with its tools and its prompt.', 'Raise limits.max_steps, so that it can be reminded.'],
  ),
  message_limit_reached: advice('Too many messages', 'One attempt may pass on 10,000 messages between agents, and it has.', [
    'Look for a cycle that never ends: bound it by max_turns, or give its way out a condition.',
  ]),
  policy_violation: advice(
    'A policy did not allow it',
    'An AgentPolicy forbids the model or the tool that was about to be used. The rule stands beside the call in the trace.',
    ['Check agent and tool in the simulator.', 'Use another model or tool, or have the policy changed.'],
  ),
  permission_denied: advice(
    'A permission is missing',
    'The agent holds no role with the permission that the tool requires, so the call was not made.',
    ['Check agent and tool in the simulator: it names the rule.', 'Give the agent a role that holds the permission.'],
  ),
  token_budget_exceeded: advice(
    'The token budget is used up',
    'The policies that govern this run allow a number of tokens for all its attempts and branches, and it is spent.',
    ['See under Metrics which agent used the most.', 'Shorten prompts or what is handed over, or raise max_tokens_per_run in the policy.'],
  ),
  approval_denied: advice(
    'A person said no',
    'The call or output that was asked about was denied, which ends the run. Their comment stands with the approval.',
    ['Read the comment under Approvals.', 'Retry with another input.'],
  ),
  approval_timeout: advice('Nobody decided in time', 'The approval expired before anyone decided, which ends the run.', [
    'Retry, and decide in the inbox while the approval is open.',
    'Give more time: ttl of the permission or of the review.',
  ]),
  cancelled: advice('It was cancelled', 'Somebody asked for the end of this run. What tools had done by then stays done.', [
    'Retry to run it again from the start.',
  ]),
  internal_error: advice('The engine failed', 'This is a defect of the service, not of your system. Nothing that was recorded is lost.', [
    'Retry once.',
    'If it happens again, look at the server’s log, and export this run for a report.',
  ]),
  // ---- of a model or tool call
  invalid_input: advice('A call did not fit its schema', 'The arguments are no JSON object or do not fit the input schema of the tool.', [
    'Look at the arguments in the trace.',
    'Make the schema or its descriptions clearer, or correct the input of the run.',
  ]),
  unsupported_tool: advice(
    'A tool that the agent does not have',
    'The model asked for a tool that the agent does not list, or of a kind this server cannot call.',
    ['Add the tool to the agent, or take its mention out of the prompt.', 'Check under Capabilities what this server supports.'],
  ),
  runtime_policy_invalid: advice(
    'The settings make no sense',
    'The runtime settings of the tool or the model endpoint contradict each other or cannot be carried out.',
    ['Correct what the message names.'],
  ),
  isolation_unavailable: advice(
    'The tool cannot be isolated here',
    'It asks for a sandbox or container that its worker does not have, and it is never run without.',
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
  canceled: advice('A call was broken off', 'The call was aborted before it ended, by a cancel or a stopping worker.', ['Retry.']),
  execution_failed: advice(
    'A call failed',
    'The model provider or the tool answered with an error. Its reason stands beside the call in the trace.',
    [
      'Open the failing span: an http_5xx passes by itself, an http_4xx needs a change.',
      'Allow more attempts with spec.retry or spec.message_retry and a backoff.',
    ],
  ),
  auth_invalid: advice('The credentials were refused', 'The other side does not accept the token or key that was sent.', [
    'Renew the Secret that the model endpoint or tool refers to.',
  ]),
  auth_forbidden: advice('The credentials may not do this', 'The other side knows the credentials and refuses this call.', [
    'Give the account behind the Secret the rights that the call needs.',
  ]),
  egress_blocked: advice('The address is not allowed', 'The call would have gone to an address that outbound connections may not reach.', [
    'Check the address for a mistake.',
    'For a service in your own network, allow private addresses on the tool or endpoint.',
  ]),
  rate_limited: advice('Too many requests', 'The provider asked to be called less often, for longer than the attempts lasted.', [
    'Retry later.',
    'Allow more attempts with a longer backoff, or run fewer tasks at once.',
  ]),
  malformed_response: advice(
    'The answer could not be read',
    'The model provider or tool answered with something that its protocol does not have.',
    ['Retry; if it stays, check that the endpoint speaks the protocol it is declared as.'],
  ),
  model_not_found: advice('There is no such model', 'The provider does not know the model that was asked for.', [
    'Correct default_model of the model endpoint.',
    'Check that the account has access to the model.',
  ]),
};

const UNKNOWN = advice('The run failed', 'The server gave a reason that this console does not know.', [
  'Read the message, and look at the last failing span of the trace.',
]);

/** Total: a code from a newer server has the general words. */
export function adviceFor(code: string | undefined): Advice {
  return (code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined) ?? UNKNOWN;
}

/** Every code that has words of its own. */
export function knownFailureCodes(): readonly string[] {
  return Object.keys(ADVICE);
}
