// Differences of two checkpoints, of one Session or of a Session and its fork. Everything is read from what is recorded; nothing is called.
import { createHash } from 'node:crypto';
import type {
  Aligned,
  CheckpointDiff,
  ComparedAgent,
  ComparedCheckpoint,
  ComparedMessage,
  ComparedToolCall,
  CompleteList,
  Difference,
  SessionUsage,
} from '@svc/shared/api/sessions';
import { ServiceError } from '@svc/shared/errors';
import { canonicalJson, isObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import type { Entry } from '../engine/core/entries.ts';
import { decodeDocument, decodeState } from '../engine/core/state-codec.ts';
import type { RunState, TurnState } from '../engine/core/state.ts';
import { cutText } from '../engine/views/cut.ts';
import { readEntries } from '../engine/views/read-journal.ts';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { partBranches, turnBefore, type Branch } from './branches.ts';
import { checkpointOf, type CheckpointRecord } from './checkpoints.ts';
import { readChat, readTurn, type TurnRecord } from './records.ts';
import { verifiedState } from './replay.ts';

export interface DiffSide {
  readonly session: StoredObject;
  readonly checkpoint: CheckpointRecord;
}

/** Turns that are not common to both conversations, in all. */
const DIVERGED_MAX = 1_000;
/** Runs of each side whose tool calls are read. */
const RUNS_MAX = 50;
/** Turns before the place where the conversations part. */
const SHARED_TURNS_MAX = 20;
/** Tool calls of each side that are compared. */
const CALLS_MAX = 1_000;
const ITEMS_MAX = 200;
const ITEMS_MAX_BYTES = 512 * 1024;
const INPUT_MAX_BYTES = 16 * 1024;

/** Throws `conflict` for a checkpoint that does not verify, `too_large` for conversations that differ in too many turns. */
export async function diffCheckpoints(reader: StoreReader, first: DiffSide, second: DiffSide): Promise<CheckpointDiff> {
  const left = await openSide(reader, first);
  const right = await openSide(reader, second);
  const common = await part(left, right);
  const before = await sharedMessages(reader, left, common);
  const messages = alignedMessages(before, await ownMessages(reader, left, common), await ownMessages(reader, right, common));
  const [ofLeft, ofRight] = [await readRuns(reader, left), await readRuns(reader, right)];
  const { calls: leftCalls, outputs: leftOutputs } = ofLeft;
  const { calls: rightCalls, outputs: rightOutputs } = ofRight;
  return {
    left: left.shown,
    right: right.shown,
    messages,
    tool_calls: { ...align(leftCalls, rightCalls, { keyOf: callKey }), complete: ofLeft.complete && ofRight.complete },
    outputs: differences(leftOutputs, rightOutputs),
    agents: differences(agentsOf(left.state), agentsOf(right.state)),
    usage: { left: usageOf(left), right: usageOf(right) },
  };
}

interface Side extends Pick<Branch, 'own' | 'read'> {
  readonly uid: string;
  readonly shown: ComparedCheckpoint;
  readonly checkpoint: CheckpointRecord;
  readonly state: RunState;
  readonly turn: TurnRecord;
  /** Turns that only this side has, the newest first. The last turn of a checkpoint inside a turn is always among them. */
  readonly own: TurnRecord[];
}

async function openSide(reader: StoreReader, { session, checkpoint }: DiffSide): Promise<Side> {
  const { uid, namespace, name } = session;
  const turn = await readTurn(reader, uid, checkpoint.sequence);
  if (!turn)
    throw new ServiceError('conflict', `the turn of checkpoint ${checkpoint.id} is no longer stored; choose a different checkpoint`);
  const state = decodeState(await verifiedState(reader, uid, checkpoint));
  const { overrides } = specOf('Session', session);
  const shown = {
    namespace,
    session: name,
    checkpoint: checkpointOf(checkpoint),
    verified: true,
    ...(overrides && { overrides }),
  } as const;
  return { uid, shown, checkpoint, state, turn, own: [], read: (sequence) => readTurn(reader, uid, sequence) };
}

const isInside = ({ safe_point: point }: CheckpointRecord): boolean => point !== 'turn.completed';

/** Fills in the turns that only one side has; returns the newest turn of both. A fork keeps the ids of the turns it took over. */
async function part(left: Side, right: Side): Promise<TurnRecord | undefined> {
  const branchOf = async (side: Side): Promise<Branch> => {
    const { turn, own, read, checkpoint } = side;
    const inside = isInside(checkpoint);
    if (inside) own.push(turn);
    return { turn: inside ? await turnBefore(side, turn) : turn, depth: checkpoint.completedTurns, own, read };
  };
  const [ofLeft, ofRight] = [await branchOf(left), await branchOf(right)];
  const refusal = `the conversations differ in more than ${DIVERGED_MAX} turns; compare checkpoints that lie closer`;
  return partBranches(ofLeft, ofRight, { max: DIVERGED_MAX, refusal });
}

// ---------------------------------------------------------------- messages

interface Before {
  readonly messages: readonly ComparedMessage[];
  readonly cut: boolean;
}

async function sharedMessages(reader: StoreReader, side: Side, common: TurnRecord | undefined): Promise<Before> {
  const turns: TurnRecord[] = [];
  let turn = common;
  for (; turn && turns.length < SHARED_TURNS_MAX; turn = await turnBefore(side, turn)) turns.push(turn);
  const chat = common && !turn ? await chatMessages(reader, side) : [];
  return { messages: [...chat, ...turns.reverse().flatMap(messagesOf)], cut: turn !== undefined };
}

/** Messages that come after the common turn. Without one, those of a chat request come first. */
async function ownMessages(reader: StoreReader, side: Side, common: TurnRecord | undefined): Promise<ComparedMessage[]> {
  const { own, turn, checkpoint } = side;
  const { output: _later, ...unanswered } = turn;
  const turns = own.map((each) => (each === turn && isInside(checkpoint) ? unanswered : each));
  return [...(common ? [] : await chatMessages(reader, side)), ...turns.reverse().flatMap(messagesOf)];
}

async function chatMessages(reader: StoreReader, { uid }: Side): Promise<ComparedMessage[]> {
  return (await readChat(reader, uid))?.history.map(({ role, content }) => ({ role, content })) ?? [];
}

function messagesOf({ id: turn_id, content, output = '' }: TurnRecord): ComparedMessage[] {
  const asked: ComparedMessage = { role: 'user', content, turn_id };
  return output === '' ? [asked] : [asked, { role: 'assistant', content: output, turn_id }];
}

function alignedMessages(before: Before, left: readonly ComparedMessage[], right: readonly ComparedMessage[]): Aligned<ComparedMessage> {
  const prefixed = (own: readonly ComparedMessage[]) => [...before.messages, ...own];
  const aligned = align(prefixed(left), prefixed(right), { keyOf: ({ role, content }) => `${role} ${content}`, shorten: cutMessage });
  return before.cut ? { ...aligned, cut: { ...aligned.cut, shared: true } } : aligned;
}

function cutMessage(message: ComparedMessage): ComparedMessage {
  const { text, truncated } = cutText(message.content);
  return truncated ? { ...message, content: text, truncated } : message;
}

// ---------------------------------------------------------------- runs

interface Runs {
  readonly calls: readonly ComparedToolCall[];
  /** Last output by agent, in the run of the checkpoint. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly complete: boolean;
}

async function readRuns(reader: StoreReader, { own, turn, checkpoint, state }: Side): Promise<Runs> {
  const calls: ComparedToolCall[] = [];
  const { final, furthest } = state.attempt ?? {};
  const outputs = new Map([furthest, final].flatMap((end) => (end ? [[end.agent, end.output]] : [])));
  let complete = own.length <= RUNS_MAX;
  const add = (turnCalls: readonly ComparedToolCall[]) => {
    if (calls.length + turnCalls.length > CALLS_MAX) complete = false;
    else calls.push(...turnCalls);
  };
  const earlier = own.filter((each) => each !== turn).toReversed();
  for (const each of earlier.slice(0, RUNS_MAX)) {
    let entries = 0;
    for await (const { entry } of each.task ? readEntries(reader, each.task.uid) : []) {
      entries += 1;
      add(callsOf(each.id, entry));
    }
    if (entries === 0) complete = false;
  }
  const isOwn = own.includes(turn);
  const { journal } = checkpoint;
  if (isOwn && !journal) add(transcribedCalls(turn.id, state));
  for await (const { seq, entry } of journal ? readEntries(reader, journal.stream) : []) {
    if (seq > (journal?.seq ?? 0)) break;
    if (isOwn) add(callsOf(turn.id, entry));
    if (entry.type === 'agent.completed') outputs.set(entry.data.agent, entry.data.output);
  }
  return { calls, outputs, complete };
}

function callsOf(turn_id: string, entry: Entry): ComparedToolCall[] {
  switch (entry.type) {
    case 'run.restored':
      return transcribedCalls(turn_id, decodeDocument({ document: entry.data.state, sha256: entry.data.state_hash }));
    case 'tool.completed': {
      const { tool, agent, input, output, source } = entry.data;
      return source === 'route' ? [] : [callOf({ turn_id, tool, agent, ok: true }, input, output)];
    }
    case 'tool.failed': {
      const { tool, agent, input, code, message, retryable } = entry.data;
      return [callOf({ turn_id, tool, agent, ok: false }, input, JSON.stringify({ error: { code, message, retryable } }))];
    }
    default:
      return [];
  }
}

/** Calls of a state that a run began with, as the agents that work see them: a state keeps nothing else of them. */
function transcribedCalls(turn_id: string, { attempt }: RunState): ComparedToolCall[] {
  return [...(attempt?.turns.values() ?? [])].flatMap((turn) => callsOfTurn(turn_id, turn));
}

function callsOfTurn(turn_id: string, { agent, transcript }: TurnState): ComparedToolCall[] {
  const requests = transcript.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const inputs = new Map(requests.map(({ id, arguments: text }) => [id, text]));
  return transcript.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const { toolCallId, toolName: tool, content, isError = false } = message;
    return [callOf({ turn_id, tool, agent: agent.name, ok: !isError }, parsed(inputs.get(toolCallId)), content)];
  });
}

function parsed(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function callOf(call: Omit<ComparedToolCall, 'result_hash'>, input: unknown, result: string): ComparedToolCall {
  const result_hash = createHash('sha256').update(result).digest('hex');
  if (!isObject(input)) return { ...call, result_hash };
  return Buffer.byteLength(JSON.stringify(input)) > INPUT_MAX_BYTES
    ? { ...call, truncated: true, result_hash }
    : { ...call, input, result_hash };
}

const callKey = ({ turn_id: _, ...call }: ComparedToolCall): string => canonicalJson(call);

function agentsOf({ attempt }: RunState): Map<string, ComparedAgent> {
  const { agents = {}, models = {} } = attempt?.snapshot ?? {};
  return new Map(Object.values(agents).map(({ name, model, prompt }) => [name, { model: models[model]?.name ?? model, prompt }]));
}

/** Usage recorded for the turns that only this side has. A checkpoint inside a turn counts what was used by then. */
function usageOf({ own, turn, checkpoint, state }: Side): SessionUsage {
  const used = own.map((each): SessionUsage => {
    const { tokensUsed, outputTokens } = state;
    if (each === turn && isInside(checkpoint))
      return { input_tokens: tokensUsed - outputTokens, output_tokens: outputTokens, total_tokens: tokensUsed };
    return each.usage ?? { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  });
  const sum = (field: keyof SessionUsage) => used.reduce((total, each) => total + each[field], 0);
  return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens'), total_tokens: sum('total_tokens') };
}

// ---------------------------------------------------------------- lists

interface Alignment<Item> {
  /** Items with equal keys are the same. */
  readonly keyOf: (item: Item) => string;
  readonly shorten?: (item: Item) => Item;
}

/** The same items at the beginning, then those of each side. */
function align<Item>(left: readonly Item[], right: readonly Item[], { keyOf, shorten }: Alignment<Item>): Aligned<Item> {
  let same = 0;
  while (same < Math.min(left.length, right.length) && keyOf(left[same] as Item) === keyOf(right[same] as Item)) same += 1;
  const shared = fitting(left.slice(0, same).reverse(), shorten);
  const [ofLeft, ofRight] = [fitting(left.slice(same), shorten), fitting(right.slice(same), shorten)];
  return {
    shared: shared.items.reverse(),
    left: ofLeft.items,
    right: ofRight.items,
    cut: { shared: shared.cut, left: ofLeft.cut, right: ofRight.cut },
  };
}

/** The first items within the bounds. */
function fitting<Item>(all: readonly Item[], shorten: (item: Item) => Item = (item) => item): { items: Item[]; cut: boolean } {
  const items: Item[] = [];
  let room = ITEMS_MAX_BYTES;
  for (const each of all) {
    const item = shorten(each);
    room -= Buffer.byteLength(JSON.stringify(item));
    if (room < 0 || items.length === ITEMS_MAX) return { items, cut: true };
    items.push(item);
  }
  return { items, cut: false };
}

function differences<Value extends string | ComparedAgent>(
  left: ReadonlyMap<string, Value>,
  right: ReadonlyMap<string, Value>,
): CompleteList<Difference<Value>> {
  const agents = [...new Set([...left.keys(), ...right.keys()])].sort();
  const all = agents.flatMap((agent) => {
    const [l, r] = [left.get(agent), right.get(agent)];
    if (l !== undefined && r !== undefined && canonicalJson(l) === canonicalJson(r)) return [];
    return [{ agent, ...(l !== undefined && { left: l }), ...(r !== undefined && { right: r }) }];
  });
  const { items, cut } = fitting(all);
  return { items, complete: !cut };
}
