// The mock provider: plays the script in its ModelEndpoint's options. No network, no tokens; the cost of a call does not grow with the transcript.
import { textStart } from '@svc/shared/text-start';
import { estimateTokens } from '@svc/shared/token-estimate';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { withDeadline } from '../../egress/deadline.ts';
import { CallError, type ChatMessage, type ModelEndpointRef, type ModelResponse } from '../../engine/ports.ts';
import { durationOption } from '../options.ts';
import { endpointTitle, type ModelCall, type ModelProvider } from '../provider.ts';
import { parseScript, ScriptError, type MockStep, type ScriptedError } from './script.ts';

/** Scripts and failure counters kept; the oldest is dropped above it. */
const CACHE_MAX = 1_000;
const DEFAULT_TIMEOUT_MS = 120_000;
/** Characters of the input that the unscripted answer repeats. */
const QUOTE_MAX = 200;

export function createMockProvider({ clock }: { clock: Clock }): ModelProvider {
  const scripts = new LRUCache<string, readonly MockStep[]>({ max: CACHE_MAX });
  const failures = new LRUCache<string, number>({ max: CACHE_MAX });

  const scriptOf = (call: ModelCall): readonly MockStep[] => {
    const { key, source } = scriptSource(call);
    if (source === undefined) return [];
    const known = scripts.get(source);
    if (known) return known;
    const steps = compile(call.endpoint, { key, source });
    scripts.set(source, steps);
    return steps;
  };

  const failNow = (call: ModelCall, error: ScriptedError): boolean => {
    if (error.times === undefined) return true;
    const key = `${call.endpoint.namespace}/${call.endpoint.name}/${call.request.agent}/${call.request.step}`;
    const failed = failures.get(key) ?? 0;
    if (failed >= error.times) return false;
    failures.set(key, failed + 1);
    return true;
  };

  const play = async (call: ModelCall, step: MockStep): Promise<ModelResponse> => {
    if (needsTime(step, call)) await passTime(call, { step, clock });
    if (step.error && failNow(call, step.error)) throw scriptedFailure(call, step.error);
    const answer = respond(call, step);
    if (call.onDelta && answer.content !== '') await stream(call, { text: answer.content, step, clock });
    return answer;
  };

  return {
    name: 'mock',
    async complete(call) {
      if (call.signal.aborted) throw new CallError('canceled', `${endpointTitle(call.endpoint)} was canceled`, { retryable: false });
      const script = scriptOf(call);
      const last = script.at(-1);
      const step = script[call.request.step - 1] ?? (last?.repeat ? last : undefined);
      return play(call, chosenCase(call, step) ?? unscripted(call));
    },
  };
}

/** The step itself, or the case of it that fits the input; undefined when none does. */
function chosenCase({ request }: ModelCall, step: MockStep | undefined): MockStep | undefined {
  if (!step?.cases) return step;
  const input = lastContent(request.messages, 'user');
  return step.cases.find(({ when }) => when === undefined || input.includes(when));
}

function scriptSource({ endpoint, request }: ModelCall): { key: string; source: string | undefined } {
  const options = endpoint.spec.options ?? {};
  const key = `agent.${request.agent.toLowerCase()}`;
  return options[key] === undefined ? { key: 'script', source: options['script'] } : { key, source: options[key] };
}

/** Scripts of one endpoint that are read when it is written. */
const CHECKED_MAX = 20;

/** The first error of the scripts, as a call that plays it has it. */
export function scriptProblem(endpoint: ModelEndpointRef): CallError | undefined {
  const scripts = Object.entries(endpoint.spec.options ?? {}).filter(([key]) => key === 'script' || key.startsWith('agent.'));
  for (const [key, source] of scripts.slice(0, CHECKED_MAX)) {
    try {
      compile(endpoint, { key, source });
    } catch (error) {
      if (error instanceof CallError) return error;
      throw error;
    }
  }
  return undefined;
}

function compile(endpoint: ModelEndpointRef, { key, source }: { key: string; source: string }): readonly MockStep[] {
  try {
    return parseScript(source);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const message = `${endpointTitle(endpoint)} spec.options["${key}"]${error.path} ${error.message}`;
    throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'invalid_option' });
  }
}

/** The answer when no script says anything: names the agent and quotes its input. */
function unscripted({ request }: ModelCall): MockStep {
  const input = lastContent(request.messages, 'user');
  const quote = input.length > QUOTE_MAX ? `${textStart(input, QUOTE_MAX)}…` : input;
  return {
    text: input === '' ? `${request.agent} has nothing to answer.` : `${request.agent} received: ${quote}`,
    toolCalls: [],
    delayMs: 0,
    pieces: 1,
    pieceDelayMs: 0,
    hang: false,
    repeat: false,
  };
}

function delayOf(call: ModelCall, step: MockStep): number {
  return step.delayMs || (durationOption(call.endpoint, 'delay') ?? 0);
}

function needsTime(step: MockStep, call: ModelCall): boolean {
  return step.hang || step.delayMs > 0 || call.endpoint.spec.options?.['delay'] !== undefined;
}

function passTime(call: ModelCall, { step, clock }: { step: MockStep; clock: Clock }): Promise<void> {
  const timeoutMs = durationOption(call.endpoint, 'timeout') ?? DEFAULT_TIMEOUT_MS;
  const what = `model call to ${endpointTitle(call.endpoint)}`;
  return withDeadline({ clock, timeoutMs, signal: call.signal, what }, (signal) =>
    step.hang ? untilAborted(signal) : clock.sleep(delayOf(call, step), signal),
  );
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function scriptedFailure(call: ModelCall, error: ScriptedError): CallError {
  return new CallError(error.code, error.message ?? `${endpointTitle(call.endpoint)} failed as scripted with ${error.code}`, {
    retryable: error.retryable,
    reason: error.reason ?? 'scripted',
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  });
}

function respond({ endpoint, request }: ModelCall, step: MockStep): ModelResponse {
  const content = fill(step.text, request);
  const last = request.messages.at(-1)?.content ?? '';
  return {
    content,
    toolCalls: step.toolCalls.map((call, i) => ({ id: `call_${request.step}_${i + 1}`, name: call.tool, arguments: call.arguments })),
    costUsd: 0,
    usage: step.usage
      ? { inputTokens: step.usage.input, outputTokens: step.usage.output, source: 'provider' }
      : { inputTokens: estimateTokens(last), outputTokens: estimateTokens(content), source: 'estimated' },
    finishReason: step.finish ?? (step.toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    model: endpoint.spec.default_model || 'mock',
  };
}

/** Replaces the placeholders of a scripted text; reads the transcript only for those that ask for it. */
function fill(text: string, request: ModelCall['request']): string {
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{\s*(agent|step|input|result|transcript)\s*\}\}/g, (_, name: string) => {
    if (name === 'agent') return request.agent;
    if (name === 'step') return String(request.step);
    if (name === 'input') return lastContent(request.messages, 'user');
    if (name === 'result') return lastContent(request.messages, 'tool');
    return request.messages.map((message) => `${message.role}: ${message.content}`).join('\n');
  });
}

function lastContent(messages: readonly ChatMessage[], role: ChatMessage['role']): string {
  return messages.findLast((message) => message.role === role)?.content ?? '';
}

async function stream(call: ModelCall, { text, step, clock }: { text: string; step: MockStep; clock: Clock }): Promise<void> {
  // By code points: an unpaired surrogate can be neither stored nor sent.
  const characters = step.pieces === 1 ? [text] : Array.from(text);
  const size = Math.ceil(characters.length / step.pieces);
  for (let at = 0; at < characters.length; at += size) {
    if (at > 0 && step.pieceDelayMs > 0) await pause(call, { ms: step.pieceDelayMs, clock });
    call.onDelta?.(characters.slice(at, at + size).join(''));
  }
}

async function pause(call: ModelCall, { ms, clock }: { ms: number; clock: Clock }): Promise<void> {
  const what = `model call to ${endpointTitle(call.endpoint)}`;
  await withDeadline({ clock, timeoutMs: ms + DEFAULT_TIMEOUT_MS, signal: call.signal, what }, (signal) => clock.sleep(ms, signal));
}
