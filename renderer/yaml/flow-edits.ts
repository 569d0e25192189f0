// Changes of single places in flow collections, `[a, b]` and `{ a: 1 }`: they stay on their lines, with their own spacing. Pure. Each
// returns undefined for a notation that it does not support, like those of text-edits.ts.
import { isObject } from '@svc/shared/json';
import { isMap, stringify, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { lineStart, replaceScalar, type TextEdit } from './text-edits.ts';
import { rangeOfNode, type TextRange } from './yaml-paths.ts';

type Flow = YAMLMap | YAMLSeq;

/** A plain value between brackets, where commas need quotes. */
function flowScalar(value: unknown): string {
  if (typeof value === 'string' && /[\n\r]/.test(value)) return JSON.stringify(value);
  return stringify([value], { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0, version: '1.2' }).trim().slice(1, -1);
}

/** A value on one line; `padding` is the space inside of braces. */
function flowYaml(value: unknown, padding = ' '): string {
  if (Array.isArray(value)) return `[${value.map((each) => flowYaml(each, padding)).join(', ')}]`;
  if (!isObject(value)) return flowScalar(value ?? null);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return '{}';
  return `{${padding}${entries.map(([key, each]) => `${flowScalar(key)}: ${flowYaml(each, padding)}`).join(', ')}${padding}}`;
}

/** Adjacent maps decide the spacing of braces. */
function paddingIn(text: string, holder: Flow): string {
  const like = isMap(holder) ? holder : holder.items.find((item) => isMap(item));
  const range = rangeOfNode(like);
  return range && text[range.from] === '{' && text[range.from + 1] !== ' ' && text[range.from + 1] !== '}' ? '' : ' ';
}

function memberRange(member: unknown): TextRange | undefined {
  if (!isPair(member)) return rangeOfNode(member);
  const key = rangeOfNode(member.key);
  return key && { from: key.from, to: Math.max(key.to, rangeOfNode(member.value)?.to ?? 0) };
}

function isPair(member: unknown): member is Pair<unknown, unknown> {
  return typeof member === 'object' && member !== null && 'key' in member;
}

/** Ranges of the members, when all of them have one. */
function memberRanges(holder: Flow): readonly TextRange[] | undefined {
  const ranges = holder.items.map(memberRange);
  return ranges.length > 0 && ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/** Adds a member after the last one, on a new line if the last one has its own line. */
function append(text: string, holder: Flow, written: string): TextEdit | undefined {
  const last = memberRanges(holder)?.at(-1);
  const end = rangeOfNode(holder)?.to;
  if (!last || end === undefined || text.slice(last.to, end).includes('#')) return undefined;
  const lead = text.slice(lineStart(text, last.from), last.from);
  const insert = lead.trim() === '' && lead !== '' ? `,\n${lead}${written}` : `, ${written}`;
  return { from: last.to, to: last.to, insert };
}

/** A key with its value at the end of a non-empty flow map. */
export function addFlowPair(text: string, map: YAMLMap, { key, value }: { readonly key: string; readonly value: unknown }) {
  return append(text, map, `${flowScalar(key)}: ${flowYaml(value, paddingIn(text, map))}`);
}

/** An entry into a non-empty flow list, before the one at `index` or behind the last. */
export function addFlowEntry(text: string, list: YAMLSeq, { index, value }: { readonly index: number; readonly value: unknown }) {
  const written = flowYaml(value, paddingIn(text, list));
  const before = memberRanges(list)?.[index];
  return before ? { from: before.from, to: before.from, insert: `${written}, ` } : append(text, list, written);
}

/** Replaces a value of a flow map (`pair`) or list. */
export function replaceFlowValue(
  text: string,
  holder: Flow,
  { pair, node, value }: { readonly pair: Pair<unknown, unknown> | undefined; readonly node: unknown; readonly value: unknown },
): TextEdit | undefined {
  const range = rangeOfNode(node);
  const key = pair && rangeOfNode(pair.key);
  const insert = flowYaml(value, paddingIn(text, holder));
  if (!range || range.from === range.to) {
    // The value is empty: `{ key }` or `{ key: }`.
    if (!key) return undefined;
    const colon = /^\s*:[^\S\n]*/.exec(text.slice(key.to, rangeOfNode(holder)?.to));
    return { from: key.to, to: key.to + (colon?.[0].length ?? 0), insert: `: ${insert}` };
  }
  return replaceScalar(text, node, { value, inFlow: flowScalar }) ?? { ...range, insert };
}

/** Removes a member from a flow collection, named by its pair or its index, with its comma. */
export function removeFlowMember(text: string, holder: Flow, member: unknown): TextEdit | undefined {
  const ranges = memberRanges(holder);
  const index = typeof member === 'number' ? member : (holder.items as readonly unknown[]).indexOf(member);
  const [at, next, before] = [ranges?.[index], ranges?.[index + 1], ranges?.[index - 1]];
  if (!at) return undefined;
  const whole = rangeOfNode(holder);
  const cut = next
    ? { from: at.from, to: next.from, insert: '' }
    : before
      ? { from: before.to, to: at.to, insert: '' }
      : whole && { ...whole, insert: isMap(holder) ? '{}' : '[]' };
  // Comments between brackets stay.
  return cut && !text.slice(cut.from, cut.to).includes('#') ? cut : undefined;
}
