// How each type of trace entry is shown: a glyph, a few words, a detail and a duration. The one table for live progress and for trees.
import type { TraceEntry } from '../api/trace-entry.ts';

export type StepTone = 'plain' | 'good' | 'bad' | 'warn' | 'accent' | 'dim';

export interface StepView {
  readonly glyph: string;
  readonly what: string;
  readonly detail: string;
  readonly tone: StepTone;
  readonly durationMs: number | undefined;
  /** Name of the pending approval, and whether it asks for the outcome of a call. */
  readonly waitsFor?: { readonly approval: string; readonly unknownOutcome: boolean };
}

type Detail = (entry: TraceEntry) => string;

interface StepKind {
  readonly glyph: string;
  readonly what: string;
  readonly tone: StepTone;
  readonly detail: Detail;
}

const asText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
const says: Detail = (entry) => entry.message ?? '';
const joined = (separator: string, ...parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join(separator);
const fails: Detail = (entry) => joined(': ', entry.error_code ?? entry.error_reason, entry.message);
/** The message, such as max_turns reached, comes first: a long output is cut. */
const ends: Detail = (entry) => joined(' · ', says(entry), asText(entry.output));
/** For entries that follow a failure which was already printed in full. */
const code: Detail = (entry) => entry.error_code ?? entry.error_reason ?? says(entry);
const tokens: Detail = (entry) => joined(' · ', entry.tokens ? `${entry.tokens} tokens` : '', asText(entry.output) || says(entry));
/** The tool, and where it ran when that was apart from the worker; all that held there is in the record of the run. */
const toolAt: Detail = ({ tool, isolation }) => joined(' ', tool, isolation && `(isolation ${asText(isolation.mode) || 'unknown'})`);
const toolCall: Detail = (entry) => joined(' → ', joined(' ', toolAt(entry), asText(entry.input)), asText(entry.output) || says(entry));
const toolFails: Detail = (entry) => joined(' ', toolAt(entry), fails(entry));

/** The sentence without the approval's name, which is printed on its own line. */
const asks: Detail = (entry) => {
  const kind = entry.type.startsWith('task') ? 'TaskApproval' : 'ToolApproval';
  return joined(': ', entry.tool, says(entry).replace(`${kind} ${entry.approval ?? ''}: `, ''));
};
const decided: Detail = (entry) => joined(': ', joined(' by ', entry.decision, entry.reviewer), entry.comment) || says(entry);

type Row = readonly [glyph: string, what: string, tone: StepTone, detail: Detail];
const row = (...[glyph, what, tone, detail]: Row): StepKind => ({ glyph, what, tone, detail });

const STEPS: Readonly<Record<string, StepKind>> = {
  task_takeover: row('⇄', 'taken over', 'warn', says),
  call_resent: row('↻', 'sent again', 'warn', says),
  task_start: row('●', 'started', 'plain', says),
  agent_start: row('▸', 'agent starts', 'accent', says),
  agent_end: row('✓', 'agent done', 'good', ends),
  agent_error: row('✗', 'agent failed', 'bad', fails),
  agent_message: row('→', 'hand-over', 'accent', (entry) => says(entry).replace(' -> ', ' → ')),
  agent_message_join_wait: row('⋈', 'join', 'accent', (entry) => (entry.error_code ? fails(entry) : says(entry))),
  agent_message_retry_scheduled: row('↻', 'retry scheduled', 'warn', says),
  agent_message_non_retryable: row('✗', 'not retryable', 'bad', code),
  agent_message_deadletter: row('✗', 'dead letter', 'bad', code),
  model_call: row('◇', 'model call', 'plain', says),
  model_output: row('◆', 'model answer', 'plain', tokens),
  model_error: row('✗', 'model failed', 'bad', fails),
  model_resolution_error: row('✗', 'model unusable', 'bad', fails),
  tool_call: row('⚙', 'tool call', 'plain', toolCall),
  tool_error: row('✗', 'tool failed', 'bad', toolFails),
  tool_permission_denied: row('✗', 'tool denied', 'bad', toolFails),
  tool_approval_pending: row('⏸', 'needs approval', 'warn', asks),
  tool_approval_resolved: row('⏵', 'approval decided', 'accent', decided),
  task_approval_pending: row('⏸', 'needs review', 'warn', asks),
  task_approval_resolved: row('⏵', 'review decided', 'accent', decided),
  breakpoint_reached: row('⏸', 'breakpoint', 'warn', says),
  breakpoint_resolved: row('⏵', 'breakpoint left', 'accent', says),
  policy_violation: row('✗', 'policy violation', 'bad', fails),
  token_budget_exceeded: row('✗', 'token budget spent', 'bad', fails),
  agent_contract_violation: row('!', 'contract violation', 'warn', fails),
  contract_warning: row('!', 'contract warning', 'warn', says),
};

const PENDING: ReadonlySet<string> = new Set(['tool_approval_pending', 'task_approval_pending']);

/** Entries that repeat or summarise others, which are printed. */
const SILENT: ReadonlySet<string> = new Set(['agent_message_received', 'agent_message_processed', 'task_summary']);

/** How to show an entry, or undefined when it says nothing new. A type unknown to this version is shown by its name. */
export function stepView(entry: TraceEntry): StepView | undefined {
  if (SILENT.has(entry.type)) return undefined;
  const kind = STEPS[entry.type] ?? row('·', entry.type.replaceAll('_', ' '), 'plain', says);
  const unknownOutcome = entry.tool_reason === 'unknown_outcome';
  const waits = PENDING.has(entry.type) && entry.approval !== undefined;
  return {
    ...(waits && { waitsFor: { approval: entry.approval, unknownOutcome } }),
    glyph: kind.glyph,
    what: unknownOutcome && entry.type === 'tool_approval_pending' ? 'outcome unknown' : kind.what,
    detail: kind.detail(entry),
    tone: kind.tone,
    durationMs: entry.latency_ms,
  };
}

/** The command that decides an approval, after the program and its flags. */
export function decideCommand({ approval, unknownOutcome }: NonNullable<StepView['waitsFor']>): string {
  return unknownOutcome ? `approve ${approval} --outcome done|not_done|run_again` : `approve ${approval}`;
}
