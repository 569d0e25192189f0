// Filters typed into the search of runs: `state:failed system:desk tides` filters and searches. Pure.
import { parseLabelSelector } from '@svc/shared/labels';
import { phaseLook } from '../../../ui/status/phases.ts';
import { RUN_OUTCOMES } from '../model/run-outcomes.ts';
import type { RunListState } from './run-list-input.ts';
import type { ValueChoices } from './use-runs.ts';

type Change = Partial<RunListState>;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/** An outcome by its name or label, in any spelling of its words: `dead-letter`, `WaitingApproval`. */
const outcomeNamed = (text: string): string | undefined =>
  RUN_OUTCOMES.find((each) => [each, phaseLook(each).label].some((name) => plain(name) === plain(text)));

function isSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}

/** The changed parameters by key; undefined for a value that the filter cannot have. */
const FILTERS: Readonly<Record<string, (value: string, state: RunListState) => Change | undefined>> = {
  state(value, { phase }) {
    const outcome = outcomeNamed(value);
    return outcome === undefined ? undefined : { phase: [...new Set([...phase, outcome])] };
  },
  system: (value) => ({ system: value }),
  label: (value, { labels }) => (isSelector(value) ? { labels: [labels, value].filter((each) => each !== '').join(',') } : undefined),
  reason: (value) => ({ reason: value }),
  worker: (value) => ({ worker: value }),
  priority: (value) => ({ priority: value }),
};

export interface TypedFilters {
  /** The text without the filters. */
  readonly rest: string;
  /** Empty where the text has no filter. */
  readonly change: Change;
}

/** Takes the complete filters out of a text: those that a space follows, or all once the text is `final`. Any other word stays. */
export function takeFilters(text: string, state: RunListState, final: boolean): TypedFilters {
  const words = text.split(' ');
  let change: Change = {};
  const kept = words.filter((word, index) => {
    const [, key = '', value = ''] = /^([a-z]+):(.+)$/.exec(word) ?? [];
    const isComplete = final || index < words.length - 1;
    const taken = isComplete && Object.hasOwn(FILTERS, key) ? FILTERS[key]?.(value, { ...state, ...change }) : undefined;
    change = { ...change, ...taken };
    return !taken;
  });
  return { rest: kept.join(' '), change };
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  state: RUN_OUTCOMES.map((outcome) => phaseLook(outcome).label.toLowerCase().replaceAll(' ', '-')),
};

/** One letter begins too many words. */
const LETTERS_MIN = 2;

/** Texts that complete the last word: keys, and values of those filters whose values are known. A space behind a value completes it. */
export function filterSuggestions(text: string, choices: ValueChoices): string[] {
  const [, before = '', last = ''] = /^(.* )?(\S*)$/.exec(text) ?? [];
  const values: Readonly<Record<string, readonly string[]>> = { ...NAMES, ...choices };
  const [key = ''] = last.split(':');
  const ends = last.includes(':')
    ? (values[key] ?? []).filter((value) => !/\s/.test(value)).map((value) => `${key}:${value} `)
    : Object.keys(FILTERS).map((each) => `${each}:`);
  return last.length < LETTERS_MIN ? [] : ends.filter((end) => end.startsWith(last)).map((end) => `${before}${end}`);
}
