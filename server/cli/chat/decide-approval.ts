// An approval decided where it comes up: the exact call or output, and a question to the person at the terminal.
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { JsonObject } from '@svc/shared/json';
import { ANSWERED, CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/outcomes';
import type { Resource } from '@svc/shared/resource';
import { editInput } from '../arguments/approval-input.ts';
import { approvalStatus, requiresOutcome, findApproval, type NamedApproval } from '../api/approval-objects.ts';
import { CliError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { approvalLines } from '../output/approval-view.ts';
import { decideCommand } from '../output/step-view.ts';
import { safeText } from '../output/screen.ts';
import { postAction } from '../api/resource-api.ts';
import type { SessionHandle } from '../api/session-api.ts';
import { programIn } from '../api/task-runs.ts';
import type { LineReader } from './line-reader.ts';

export interface Deciding {
  readonly invocation: Invocation;
  readonly session: SessionHandle;
  readonly reader: LineReader;
  /** Ctrl-C at the question. */
  readonly onInterrupt: () => void;
}

const LATER = 'later';
const NONE = 'none';

/** Questions for choices that need a text. */
const NEEDED_TEXT: Readonly<Record<string, string>> = {
  changes: '  What is to be changed? ',
  respond: '  What does the agent get in place of the call? ',
};

function choicesFor({ key, resource }: NamedApproval): readonly string[] {
  if (key.kind.kind === 'TaskApproval') return ['approve', 'deny', 'changes', LATER];
  return requiresOutcome(resource) ? [...CALL_OUTCOMES, 'deny', LATER] : ['approve', 'edit', 'respond', 'deny', LATER];
}

/** Never rejects: an approval that cannot be decided here is left to others. */
export async function decideInPlace(deciding: Deciding, event: SessionEvent, signal: AbortSignal): Promise<void> {
  const { invocation } = deciding;
  try {
    const { kind, name } = event.payload;
    const approval = await findApproval(deciding.session, String(name), kind === 'TaskApproval' ? 'task' : 'tool');
    if (approvalStatus(approval.resource).phase !== 'Pending' || signal.aborted) return;
    const layout = { namespaces: false, phases: false, nowMs: Date.now(), style: invocation.style, brief: true };
    invocation.note(...approvalLines(approval.resource, [], layout).map((line) => (line === '' ? '' : `  ${line}`)));
    if (await deciding.reader.discard()) return deciding.onInterrupt();
    while (!(await decideOnce(deciding, approval, signal)));
  } catch (error) {
    const { message } = error as Error;
    invocation.note(`${invocation.errorStyle.bad('error:')} ${message}`);
  }
}

/** False when the question has to be asked again. */
async function decideOnce(deciding: Deciding, approval: NamedApproval, signal: AbortSignal): Promise<boolean> {
  const { invocation } = deciding;
  const choice = await askChoice(deciding, choicesFor(approval), signal);
  if (choice === NONE) return true;
  if (choice === LATER) {
    const asked = { approval: approval.resource.metadata.name, unknownOutcome: requiresOutcome(approval.resource) };
    invocation.note(`  The turn waits. Decide with: ${await programIn(invocation)} ${decideCommand(asked)}`);
    return true;
  }
  const needed = NEEDED_TEXT[choice];
  const typed = choice === 'edit' ? '' : await ask(deciding, needed ?? '  Reason (Enter for none): ', signal);
  if (typed === undefined) return true;
  if (needed !== undefined && typed === '') return false;
  try {
    if (choice === 'edit') await editInput(invocation.terminal, approval.resource, (input) => post(deciding, approval, { choice, input }));
    else await post(deciding, approval, choice === 'respond' ? { choice, answer: typed } : { choice, comment: typed });
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    invocation.note(`${invocation.errorStyle.bad('error:')} ${error.message}`);
    return false;
  }
}

interface Decision {
  readonly choice: string;
  readonly comment?: string;
  /** The result that the agent gets in place of the call. */
  readonly answer?: string;
  readonly input?: JsonObject;
}

function post({ session }: Deciding, { key, resource }: NamedApproval, { choice, comment, answer, input }: Decision): Promise<Resource> {
  const reported = CALL_OUTCOMES.find((each) => each === choice);
  const name = choice === 'deny' ? 'deny' : choice === 'changes' ? 'request-changes' : 'approve';
  const outcome = answer === undefined ? reported : ANSWERED;
  const body = { comment: comment || undefined, input, outcome, output: answer, uid: resource.metadata.uid };
  return postAction(session.client, key, { name, body });
}

/** One of the words, by any beginning that no other one has; `none` when there is no answer. */
async function askChoice(deciding: Deciding, choices: readonly string[], signal: AbortSignal): Promise<string> {
  for (;;) {
    const typed = (await ask(deciding, `  ${choices.join(' · ')} ? `, signal))?.toLowerCase();
    if (typed === undefined) return NONE;
    const found = choices.filter((choice) => choice === typed || (typed !== '' && choice.startsWith(typed)));
    const exact = found.find((choice) => choice === typed) ?? found[0];
    if (exact !== undefined && (found.length === 1 || exact === typed)) return exact;
    deciding.invocation.note('  Type one of these words, or its beginning.');
  }
}

/** Undefined when the question is over: decided elsewhere, interrupted, or the user has left. */
async function ask({ invocation, reader, onInterrupt }: Deciding, question: string, signal: AbortSignal): Promise<string | undefined> {
  const typed = await reader.answer(safeText(invocation.style.accent(question)), signal);
  if (typed.type === 'text') return typed.text.trim();
  if (typed.type !== 'aborted') onInterrupt();
  return undefined;
}
