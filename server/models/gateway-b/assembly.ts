// Puts an answer of the Messages protocol together, whether it came whole or as events. Pure: events in, one answer out.
import { filledText, isObject } from '@svc/shared/json';
import { argumentsWritten, TOOL_CALLS_MAX, tokenCount } from '../answer-parts.ts';

interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** The JSON text that came in pieces. */
  pieces: string;
  /** Input of the block's start; the arguments when no piece followed. */
  readonly input: unknown;
}

/** A block in its place: text by its length, a call by its position, thinking as it came. */
type Part = { text: number } | { readonly call: number } | { readonly thinking: Record<string, unknown> };

export interface MessageAssembly {
  content: string;
  readonly parts: Part[];
  /** Thinking under assembly by the position of its block. */
  readonly openThinking: Map<unknown, Record<string, unknown>>;
  readonly toolUses: ToolUse[];
  /** Calls under assembly by the position of their block. */
  readonly open: Map<unknown, ToolUse>;
  readonly counts: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  stopReason: string | undefined;
  model: string | undefined;
  /** A message began; an answer without one is invalid. */
  sawMessage: boolean;
}

export function startMessage(): MessageAssembly {
  return {
    content: '',
    parts: [],
    openThinking: new Map(),
    toolUses: [],
    open: new Map(),
    counts: {},
    stopReason: undefined,
    model: undefined,
    sawMessage: false,
  };
}

export interface AddedChunk {
  /** The text it brought. */
  readonly text: string;
  /** The message is complete. */
  readonly last: boolean;
}

const NOTHING: AddedChunk = { text: '', last: false };

/** Adds one event. Those of unknown types say nothing to us: the protocol may grow. */
export function addEvent(assembly: MessageAssembly, event: Readonly<Record<string, unknown>>): AddedChunk {
  switch (event['type']) {
    case 'message_start':
      if (isObject(event['message'])) addHead(assembly, event['message']);
      // The output count so far is not the final one.
      delete assembly.counts.output;
      return NOTHING;
    case 'content_block_start':
      return { text: addBlock(assembly, event['content_block'], event['index']), last: false };
    case 'content_block_delta':
      return { text: addDelta(assembly, event['delta'], event['index']), last: false };
    case 'message_delta':
      if (isObject(event['delta'])) addStopReason(assembly, event['delta']);
      addUsage(assembly, event['usage']);
      return NOTHING;
    case 'message_stop':
      return { text: '', last: true };
    default:
      return NOTHING;
  }
}

/** Adds a message that came whole and returns its text. */
export function addWhole(assembly: MessageAssembly, message: Readonly<Record<string, unknown>>): string {
  const blocks: unknown = message['content'];
  if (!Array.isArray(blocks)) return '';
  addHead(assembly, message);
  addStopReason(assembly, message);
  return blocks.map((block: unknown) => addBlock(assembly, block, undefined)).join('');
}

function addHead(assembly: MessageAssembly, message: Readonly<Record<string, unknown>>): void {
  assembly.sawMessage = true;
  if (typeof message['model'] === 'string') assembly.model = message['model'];
  addUsage(assembly, message['usage']);
}

function addStopReason(assembly: MessageAssembly, from: Readonly<Record<string, unknown>>): void {
  assembly.stopReason = filledText(from['stop_reason']) ?? assembly.stopReason;
}

/** Counts are totals so far: a later one takes the place of an earlier one. */
function addUsage({ counts }: MessageAssembly, usage: unknown): void {
  if (!isObject(usage)) return;
  const input = tokenCount(usage['input_tokens']);
  const output = tokenCount(usage['output_tokens']);
  const cacheRead = tokenCount(usage['cache_read_input_tokens']);
  const cacheWrite = tokenCount(usage['cache_creation_input_tokens']);
  if (input !== undefined) counts.input = input;
  if (output !== undefined) counts.output = output;
  if (cacheRead !== undefined) counts.cacheRead = cacheRead;
  if (cacheWrite !== undefined) counts.cacheWrite = cacheWrite;
}

/** Text and calls count; thinking goes back with the calls, and other blocks are not part of the answer. */
function addBlock(assembly: MessageAssembly, block: unknown, index: unknown): string {
  if (!isObject(block)) return '';
  if (block['type'] === 'text') return addText(assembly, block['text']);
  if (THINKING.has(block['type'])) {
    assembly.parts.push({ thinking: block });
    if (index !== undefined) assembly.openThinking.set(index, block);
  }
  if (block['type'] !== 'tool_use' || assembly.toolUses.length > TOOL_CALLS_MAX) return '';
  const { id, name, input } = block;
  const use: ToolUse = { id: typeof id === 'string' ? id : '', name: typeof name === 'string' ? name : '', pieces: '', input };
  assembly.parts.push({ call: assembly.toolUses.push(use) - 1 });
  if (index !== undefined) assembly.open.set(index, use);
  return '';
}

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function addDelta(assembly: MessageAssembly, delta: unknown, index: unknown): string {
  if (!isObject(delta)) return '';
  if (delta['type'] === 'text_delta') return addText(assembly, delta['text']);
  const thinking = assembly.openThinking.get(index);
  if (thinking) addThinking(thinking, delta);
  const use = assembly.open.get(index);
  if (use && delta['type'] === 'input_json_delta' && typeof delta['partial_json'] === 'string') use.pieces += delta['partial_json'];
  return '';
}

function addThinking(block: Record<string, unknown>, { type, thinking, signature }: Record<string, unknown>): void {
  if (type === 'thinking_delta' && typeof thinking === 'string') block['thinking'] = `${filledText(block['thinking']) ?? ''}${thinking}`;
  if (type === 'signature_delta' && typeof signature === 'string') block['signature'] = signature;
}

function addText(assembly: MessageAssembly, text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  assembly.content += text;
  const last = assembly.parts.at(-1);
  if (last && 'text' in last) last.text += text.length;
  else assembly.parts.push({ text: text.length });
  return text;
}

/** State that goes back with the calls: the order of the blocks, thinking among them; undefined for an answer without either. */
export function thinkingState({ parts, toolUses }: MessageAssembly): object | undefined {
  return toolUses.length > 0 && parts.some((part) => 'thinking' in part) ? { parts } : undefined;
}

export function toolArguments({ pieces, input }: ToolUse): string {
  return pieces !== '' ? pieces : argumentsWritten(input) || '{}';
}
