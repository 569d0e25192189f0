// Checks a decision against the question, and converts it to status fields. Reports all problems together.
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject, jsonEquals, type JsonObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import { ANSWERED, CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/outcomes';
import type { StoredObject } from '../../store/store.ts';
import { RECORD_TEXT_MAX_BYTES } from '../core/limits.ts';
import type { InputChecks } from '../ports.ts';
import { TASK_APPROVAL } from './approval-kind.ts';
import type { DecisionRequest } from './decision-request.ts';
import { readInput } from './edited-input.ts';
import { mayBeSentBack, type SendBackRule } from './verdict.ts';
import type { WaitingCall, WaitingRun } from './waiting-run.ts';

const REVIEWER_MAX_BYTES = 256;
/** Size limit of a tool result in a decision. */
const DECIDED_DATA_MAX_BYTES = 1024 * 1024;

export interface RequestPlace {
  readonly approval: StoredObject;
  readonly waiting: WaitingRun | undefined;
  readonly inputs: Pick<InputChecks, 'checkNow'>;
}

type Status = Readonly<Record<string, unknown>>;

/** Throws `invalid` for a request that does not fit, `conflict` for work that cannot be sent back. */
export function checkDecisionRequest(place: RequestPlace, request: DecisionRequest): Status {
  const { approval, waiting } = place;
  const errors = [...sizeErrors(request), ...fieldErrors(place, request)];
  const title = `${approval.kind} ${approval.namespace}/${approval.name}`;
  if (errors.length > 0) throw invalidFields(`The decision on ${title}`, errors);
  if (request.decision === 'request_changes') refuseSendingBack(title, sendBackRule(approval, waiting));
  return statusOf(request, waiting);
}

const PHASES = { approved: 'Approved', denied: 'Denied', request_changes: 'ChangesRequested' } as const;

function statusOf({ decision, comment, outcome, output, input }: DecisionRequest, waiting: WaitingRun | undefined): Status {
  const edited = input === undefined ? undefined : readInput(input);
  const asked = waiting?.kind === TASK_APPROVAL ? undefined : waiting?.call?.input;
  // A different spelling of the same value is not an edit.
  const changed = edited && !(asked && jsonEquals(asked, edited));
  return {
    phase: PHASES[decision],
    decision,
    ...(comment !== undefined && { comment }),
    ...(outcome !== undefined && { outcome }),
    ...(output !== undefined && { output: asText(output) }),
    ...(changed && { edited_input: JSON.stringify(edited) }),
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Each text is read again with every GET, list and watch of the approval; the output is also what the model is sent, so it may have as much as a tool may answer. */
function sizeErrors({ decided_by, comment, output, input }: DecisionRequest): FieldError[] {
  const limits = {
    decided_by: REVIEWER_MAX_BYTES,
    comment: RECORD_TEXT_MAX_BYTES,
    output: DECIDED_DATA_MAX_BYTES,
    input: DECIDED_DATA_MAX_BYTES,
  };
  const given: Readonly<Record<string, unknown>> = { decided_by, comment, output, input };
  return Object.entries(limits)
    .filter(([path, maxBytes]) => given[path] !== undefined && Buffer.byteLength(asText(given[path])) > maxBytes)
    .map(([path, maxBytes]) => ({ path, message: `must be at most ${maxBytes} bytes` }));
}

function fieldErrors({ approval, waiting, inputs }: RequestPlace, request: DecisionRequest): FieldError[] {
  if (approval.kind === TASK_APPROVAL) return reviewErrors(request);
  if (request.decision === 'request_changes')
    return [{ path: 'decision', message: 'must be approved or denied: a call cannot be sent back for changes' }];
  const call = waiting?.kind === TASK_APPROVAL ? undefined : waiting;
  return call?.reason === 'unknown_outcome' ? outcomeErrors(request) : callErrors(request, call?.call, inputs);
}

function reviewErrors({ decision, comment, outcome, output, input }: DecisionRequest): FieldError[] {
  const strange = Object.entries({ outcome, output, input }).filter(([, value]) => value !== undefined);
  const said = comment !== undefined && comment.trim() !== '';
  return [
    ...strange.map(([path]) => ({ path, message: 'belongs to tool approvals; a review is answered with a comment' })),
    ...(decision === 'request_changes' && !said
      ? [{ path: 'comment', message: 'is required: describe the changes; the agent receives this text' }]
      : []),
  ];
}

/** An approval must state the outcome of the call, which only a person can check. */
function outcomeErrors({ decision, outcome, output, input }: DecisionRequest): FieldError[] {
  const errors: FieldError[] = [];
  const add = (path: string, message: string) => errors.push({ path, message });
  if (input !== undefined)
    add('input', 'cannot be edited: the call was sent as it is; state its outcome with outcome, or deny the approval');
  if (decision === 'denied') return errors;
  const choices =
    'done (it was carried out; output may say what it answered), not_done (it was not; the model gets an error) or run_again (send it again)';
  if (!isReported(outcome)) add('outcome', outcome === undefined ? `is required: ${choices}` : `must be ${choices}`);
  if (output !== undefined && outcome !== 'done') add('output', 'is what the tool answered, so it goes with outcome done only');
  if (!isAnswer(output)) add('output', NO_ANSWER);
  return errors;
}

const isReported = (outcome: string | undefined): boolean => (CALL_OUTCOMES as readonly (string | undefined)[]).includes(outcome);

const isAnswer = (output: unknown): boolean => output === undefined || typeof output === 'string' || isObject(output);
const NO_ANSWER = 'must be a string or an object';

const SENT_INPUT = {
  path: 'input',
  message: 'cannot be edited: the call was sent with its input before; approve it without input, or deny the approval',
};

/** Checks the decision on a call that a rule asks about: it is answered in its place, or its input may be changed within the tool's schema. */
function callErrors(request: DecisionRequest, call: WaitingCall['call'], inputs: RequestPlace['inputs']): FieldError[] {
  const answers = request.decision === 'approved' && request.outcome === ANSWERED;
  return answers ? answerErrors(request, call?.sent === true) : inputErrors(request, call, inputs);
}

function answerErrors({ output, input }: DecisionRequest, sent: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const add = (path: string, message: string) => errors.push({ path, message });
  if (sent) add('outcome', `cannot be ${ANSWERED}: the call was sent before; approve it without an outcome, or deny the approval`);
  if (output === undefined || output === '') add('output', 'is required: the model gets it in place of what the tool would answer');
  if (!isAnswer(output)) add('output', NO_ANSWER);
  if (input !== undefined) add('input', `does not go with outcome ${ANSWERED}: the call is not made`);
  return errors;
}

function inputErrors(
  { decision, outcome, output, input }: DecisionRequest,
  call: WaitingCall['call'],
  inputs: RequestPlace['inputs'],
): FieldError[] {
  const only = `belongs to approvals of calls whose outcome is unknown; an approval of this call may have the outcome ${ANSWERED}, with an output`;
  const editsSent = call?.sent === true && !jsonEquals(readInput(input), call.input);
  const checked = (edited: JsonObject) => call && inputs.checkNow(call.tool, edited);
  return [
    ...(outcome === undefined ? [] : [{ path: 'outcome', message: only }]),
    ...(output === undefined ? [] : [{ path: 'output', message: only }]),
    ...(input === undefined ? [] : editsSent ? [SENT_INPUT] : editErrors(decision, input, checked)),
  ];
}

function editErrors(
  decision: DecisionRequest['decision'],
  input: unknown,
  check: (edited: JsonObject) => ReturnType<InputChecks['checkNow']>,
): FieldError[] {
  if (decision === 'denied') return [{ path: 'input', message: 'goes with an approval only' }];
  const edited = readInput(input);
  if (!edited) return [{ path: 'input', message: 'must be an object, or the JSON text of one, nested no deeper than a call may be' }];
  const problem = check(edited);
  if (!problem) return [];
  return problem.problems.length > 0 ? [...problem.problems] : [{ path: 'input', message: problem.message }];
}

/** The question of the run counts; an approval made by hand carries its own rule. */
function sendBackRule(approval: StoredObject, waiting: WaitingRun | undefined): SendBackRule {
  if (waiting?.kind === TASK_APPROVAL) return waiting.review;
  return specOf(TASK_APPROVAL, approval);
}

function refuseSendingBack(title: string, rule: SendBackRule): void {
  if (mayBeSentBack(rule)) return;
  const { allow_request_changes, review_cycle, max_review_cycles } = rule;
  const why = allow_request_changes
    ? `this is review cycle ${review_cycle} of at most ${max_review_cycles}`
    : 'its review point does not allow that';
  throw new ServiceError('conflict', `${title} cannot be sent back for changes: ${why}; approve or deny it`);
}
