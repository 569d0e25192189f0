// Tool type `a2a`: gives the input to a remote agent through the port AgentCalls, and its answer to the model. The protocol itself is in server/a2a.
import { isObject, type Json, type JsonObject } from '@svc/shared/json';
import { CallError, type ToolRef } from '../../engine/ports.ts';
import { toolTitle, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { invalidTool } from '../tool-settings.ts';

/** Content that an agent receives or sends. */
type AgentPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'file'; readonly name?: string; readonly mediaType?: string; readonly bytes?: string; readonly uri?: string };

export interface AgentCall {
  /** Names the agent in errors. */
  readonly what: string;
  /** `spec.a2a.agent_url`. */
  readonly url: string;
  readonly protocolVersion: string | undefined;
  readonly preferStreaming: boolean;
  /** Id of the message, and of the task where the caller chooses it. Stable when a call is sent again after a crash. */
  readonly id: string;
  readonly message: { readonly parts: readonly AgentPart[]; readonly contextId?: string };
  /** Only for the origin of `url`. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with each new text of a task that works. */
  readonly onProgress: (text: string) => void;
  /** Called with each piece of the answer that streams; `append`: it continues the piece before. */
  readonly onText?: (text: string, append: boolean) => void;
}

export interface AgentOutcome {
  readonly state: string;
  readonly taskId?: string;
  readonly contextId?: string;
  /** Text of the status: a question, or the reason of the end. */
  readonly says: string;
  readonly parts: readonly AgentPart[];
}

export interface AgentCalls {
  /** One message to an agent, until its task has ended or requires input. Rejects with CallError, or with the signal's reason when aborted; the task is canceled then. */
  call(call: AgentCall): Promise<AgentOutcome>;
}

/** Option that permits private addresses to remote agents, for errors. */
export const A2A_PERMITTED_BY = 'the server option --a2a-allow-private-endpoints';

/** Base64 characters of one file that are passed on; a larger one is named without its content. */
const FILE_MAX_CHARS = 256 * 1024;

export function createA2aToolRuntime({ agents }: { readonly agents: AgentCalls }): ToolRuntime {
  return {
    type: 'a2a',
    async run(call) {
      const { url, protocolVersion, preferStreaming } = requireAgent(call.tool);
      const { requestId, attempt, signal, credentials, onProgress } = call;
      const outcome = await agents.call({
        ...{ url, protocolVersion, preferStreaming, signal },
        what: toolTitle(call.tool),
        // The task of an attempt that timed out was canceled, so the next attempt needs another.
        id: attempt === 1 ? requestId : `${requestId}-${attempt}`,
        message: messageOf(call.input),
        credentials: credentials.headers,
        onProgress: (message) => onProgress?.({ type: 'tool.progress', message }),
      });
      if (outcome.state !== 'completed') throw failure(call, outcome);
      return { output: JSON.stringify(outputOf(outcome)) };
    },
  };
}

/** Throws CallError `runtime_policy_invalid`. */
export function requireAgent(tool: ToolRef) {
  const { a2a, runtime } = tool.spec;
  const url = a2a?.agent_url ?? '';
  if (url === '') throw invalidTool(tool, 'spec.a2a.agent_url is missing');
  if (!URL.canParse(url)) throw invalidTool(tool, 'spec.a2a.agent_url is not a URL');
  if (runtime.isolation_mode !== 'none' && runtime.isolation_mode !== 'sandboxed') {
    const problem = `has spec.runtime.isolation_mode "${runtime.isolation_mode}", which tools of type a2a cannot have: leave it out, the agent runs elsewhere`;
    throw invalidTool(tool, problem);
  }
  return { url, protocolVersion: a2a?.protocol_version, preferStreaming: a2a?.prefer_streaming === true };
}

/** The text is `message`, the context `context_id`; `data`, and all other fields of the Tool's own schema, are data. */
function messageOf({ message, context_id: context, ...rest }: JsonObject): AgentCall['message'] {
  const data = isObject(rest['data']) && Object.keys(rest).length === 1 ? rest['data'] : rest;
  const text = typeof message === 'string' ? message : undefined;
  const extra = message !== undefined && text === undefined ? { message, ...data } : data;
  const parts: AgentPart[] = [
    ...(text === undefined ? [] : [{ kind: 'text', text } as const]),
    ...(Object.keys(extra).length === 0 ? [] : [{ kind: 'data', data: extra } as const]),
  ];
  return {
    parts: parts.length > 0 ? parts : [{ kind: 'text', text: '' }],
    ...(typeof context === 'string' && context !== '' && { contextId: context }),
  };
}

function outputOf({ taskId, contextId, state, parts }: AgentOutcome) {
  const data = parts.flatMap((part) => (part.kind === 'data' ? [part.data as Json] : []));
  const files = parts.flatMap((part) => (part.kind === 'file' ? [fileOf(part)] : []));
  return {
    text: parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n'),
    ...(data.length > 0 && { data: data.length === 1 ? data[0] : data }),
    ...(files.length > 0 && { files }),
    ...(taskId !== undefined && { task_id: taskId }),
    ...(contextId !== undefined && { context_id: contextId }),
    state,
  };
}

function fileOf({ name, mediaType, bytes, uri }: Extract<AgentPart, { kind: 'file' }>) {
  const content =
    bytes === undefined
      ? { uri }
      : bytes.length <= FILE_MAX_CHARS
        ? { bytes }
        : { omitted: `${bytes.length} characters of base64, more than ${FILE_MAX_CHARS}` };
  return { ...(name !== undefined && { name }), ...(mediaType !== undefined && { media_type: mediaType }), ...content };
}

const ASKED: Readonly<Record<string, string>> = {
  'input-required': 'requires input',
  'auth-required': 'requires authentication',
  failed: 'failed',
  rejected: 'rejected the request',
  canceled: 'canceled its task',
};

/** Reasons are `input_required`, `auth_required`, `remote_failed`, `remote_rejected` and `remote_canceled`. */
function failure({ tool }: ToolRun, { state, says, parts, taskId, contextId }: AgentOutcome): CallError {
  const asks = state.endsWith('-required');
  const said = (says === '' ? outputOf({ state, says, parts }).text : says).trim();
  const ids = asks ? ` (task ${taskId ?? 'unknown'}, context_id ${contextId ?? 'unknown'})` : '';
  return new CallError(
    'execution_failed',
    `${toolTitle(tool)} ${ASKED[state] ?? `ended ${state}`}${ids}${said === '' ? '' : `: ${said}`}`,
    {
      retryable: false,
      reason: asks ? state.replace('-', '_') : `remote_${state}`,
    },
  );
}
