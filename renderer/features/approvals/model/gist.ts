// The content of an approval in one line, to tell equal ones apart in a list: the values of its input, or the beginning of its output.
// A decision shows the exact content. Pure.
import { isObject } from '@svc/shared/json';
import { excerptOf } from '../../../ui/text/large-text.ts';
import type { Approval } from './approval.ts';
import { readInput } from './input-text.ts';

export interface GistPart {
  /** Undefined for text that is no object. */
  readonly key: string | undefined;
  readonly value: string;
}

/** Longer inputs are not parsed for one line. */
const PARSED_MAX_CHARS = 16 * 1024;
const PARTS_MAX = 6;
const VALUE_MAX_CHARS = 120;

function short(text: string): string {
  const { text: begin, omitted } = excerptOf(text.slice(0, 2 * VALUE_MAX_CHARS).trim(), VALUE_MAX_CHARS);
  return omitted > 0 ? `${begin}…` : begin;
}

function partsOf(value: unknown): readonly GistPart[] {
  if (!isObject(value)) return [{ key: undefined, value: short(typeof value === 'string' ? value : JSON.stringify(value)) }];
  return Object.entries(value)
    .slice(0, PARTS_MAX)
    .map(([key, each]) => ({ key, value: short(typeof each === 'string' ? each : JSON.stringify(each)) }));
}

export function gistOf(approval: Approval): readonly GistPart[] {
  if (approval.kind === 'TaskApproval') return approval.output === undefined ? [] : partsOf(approval.output);
  const { input } = approval;
  if (input.length > PARSED_MAX_CHARS) return partsOf(input);
  const read = readInput(input);
  return read.kind === 'empty' ? [] : partsOf('value' in read ? read.value : input);
}
