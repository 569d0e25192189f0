// A run as it happens: one line per step, in columns: time since the start, agent, what, duration, detail.
import { statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import type { Resource } from '@svc/shared/resource';
import type { TraceEntry } from '../api/trace-entry.ts';
import { decideCommand, stepView, type StepTone } from './step-view.ts';
import { shellWord } from './shell-word.ts';
import type { Style } from './style.ts';
import { oneLine, padRight, textWidth, wrapped } from './text-width.ts';
import { between, elapsed } from './time.ts';

const AGENT_WIDTH = 12;
const WHAT_WIDTH = 20;
const TOOK_WIDTH = 7;
const DETAIL_MIN = 20;

export interface RunProgress {
  /** Lines that open the report. */
  readonly open: (title: string) => string[];
  /** Lines for one trace entry; none for entries that say nothing to a reader. */
  readonly step: (entry: TraceEntry) => string[];
}

/** Measures an agent's turn; the entry that ends the turn returns the duration. */
function createTurnClock(): (entry: TraceEntry) => number | undefined {
  const started = new Map<string, string>();
  return (entry) => {
    const turn = `${entry.branch_id ?? ''} ${entry.agent ?? ''}`;
    if (entry.type === 'agent_start') started.set(turn, entry.timestamp);
    return entry.type === 'agent_end' || entry.type === 'agent_error' ? between(started.get(turn), entry.timestamp) : undefined;
  };
}

function tone(style: Style, name: StepTone): (text: string) => string {
  return name === 'plain' ? (text) => text : style[name];
}

/** The command that continues the run where the entry says that it waits. */
function continueCommand({ type, agent = '' }: TraceEntry, task: string | undefined): string | undefined {
  return type === 'breakpoint_reached' && task !== undefined ? `continue ${task} --at ${shellWord(agent)}` : undefined;
}

/** `program` is how svcctl is called, with the namespace where it is not the default. */
export function createProgress(style: Style, columns: number, program = 'npx svcctl'): RunProgress {
  let startMs: number | undefined;
  let opened: string | undefined;
  const turns = createTurnClock();
  let agentWidth = AGENT_WIDTH;
  const agentMax = Math.max(AGENT_WIDTH, columns - 9 - WHAT_WIDTH - TOOK_WIDTH - 8 - DETAIL_MIN);
  return {
    open: (title) => {
      opened = title;
      return [style.bold(title)];
    },
    step: (entry) => {
      const turnMs = turns(entry);
      const view = stepView(entry);
      if (!view) return [];
      const durationMs = view.durationMs ?? turnMs;
      startMs ??= Date.parse(entry.timestamp);
      agentWidth = Math.min(Math.max(agentWidth, textWidth(entry.agent ?? '')), agentMax);
      const at = `${((Date.parse(entry.timestamp) - startMs) / 1000).toFixed(3)}s`.padStart(9);
      const took = (durationMs === undefined ? '' : elapsed(durationMs)).padStart(TOOK_WIDTH);
      const room = Math.max(DETAIL_MIN, columns - 9 - agentWidth - WHAT_WIDTH - TOOK_WIDTH - 8);
      const what = tone(style, view.tone)(padRight(`${view.glyph} ${view.what}`, WHAT_WIDTH));
      const cells = [
        style.dim(at),
        padRight(oneLine(entry.agent ?? '', agentWidth), agentWidth),
        what,
        took,
        style.dim(oneLine(view.detail, room)),
      ];
      const line = cells.join('  ').trimEnd();
      const next = view.waitsFor ? decideCommand(view.waitsFor) : continueCommand(entry, opened);
      return next === undefined ? [line] : [line, `${' '.repeat(11)}${style.accent(`${program} ${next}`)}`];
    },
  };
}

const ENDED_BADLY: ReadonlySet<unknown> = new Set(['Failed', 'DeadLetter']);

/** How a run ended or where it is, in one line, and why when it did not succeed. */
export function outcomeLines(task: Resource, style: Style, columns?: number): string[] {
  const { phase, startedAt, completedAt, reason, lastError, output } = statusOf('Task', task);
  const ms = between(startedAt ?? task.metadata.createdAt, completedAt);
  const { tokens = 0 } = runOutput(output);
  const facts = [ms === undefined ? '' : `in ${elapsed(ms)}`, tokens > 0 ? `${tokens} tokens` : ''].filter((fact) => fact !== '');
  const suffix = facts.length > 0 ? ` ${facts.join(' · ')}` : '';
  if (phase === 'Succeeded') return [`${style.good('✓ Succeeded')}${suffix}`];
  if (!ENDED_BADLY.has(phase)) return [`${style.accent(`● ${phase}`)}${suffix}`];
  const why = [reason, lastError].filter((text) => text !== undefined && text !== '').join(': ');
  const said = why || 'no reason was recorded';
  const lines = columns === undefined ? [said] : wrapped(said, columns - 2);
  return [`${style.bad(`✗ ${phase}`)}${suffix}`, ...lines.map((line) => `  ${line}`)];
}
