// Decisions on ToolApprovals. What a decision may be and does is the run service's; this file only translates.
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { ApprovalWish } from '../../engine/approvals/approval-wish.ts';
import type { RunService } from '../../engine/run-service.ts';
import { onlyDocument, RESOURCE_TYPES } from '../body/documents.ts';
import { json, type Call, type Route } from '../route.ts';
import { namespaceParameter } from './parameters.ts';
import { ref } from './schemas.ts';

const TEXTS = ['decided_by', 'comment', 'reason', 'outcome'] as const;
const FIELDS = {
  approved: ['decided_by', 'comment', 'reason', 'outcome', 'output', 'input'],
  denied: ['decided_by', 'comment', 'reason'],
} as const;
const WHAT = 'The approval decision';

/** A decision is final, so nothing of it is passed over: a misspelt field is refused, as is an outcome in a denial. */
function fieldErrors(body: Readonly<Record<string, unknown>>, known: readonly string[]): FieldError[] {
  const strange = Object.keys(body).filter((field) => !known.includes(field));
  const wrong = TEXTS.filter((field) => known.includes(field) && body[field] !== undefined && typeof body[field] !== 'string');
  return [
    ...strange.map((path) => ({ path, message: `is not a field of this decision; it takes ${known.join(', ')}` })),
    ...wrong.map((path) => ({ path, message: 'must be a text' })),
  ];
}

/** `reason` is an older name of `comment`. */
async function readWish(call: Call, decision: ApprovalWish['decision']): Promise<ApprovalWish> {
  const documents = await call.readDocuments();
  const body = documents.length === 0 ? {} : onlyDocument(documents);
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object');
  const errors = fieldErrors(body, FIELDS[decision]);
  if (errors.length > 0) throw invalidFields(WHAT, errors);
  const { decided_by, comment, reason, outcome } = body as Readonly<Partial<Record<(typeof TEXTS)[number], string>>>;
  const said = comment ?? reason;
  const approving = decision === 'approved' && { ...(outcome !== undefined && { outcome }), output: body['output'], input: body['input'] };
  return { decision, ...(decided_by && { decided_by }), ...(said !== undefined && { comment: said }), ...approving };
}

export function approvalRoutes(runs: RunService): Route[] {
  const decide = async (call: Call, decision: ApprovalWish['decision']) => {
    const approval = { namespace: call.query.namespace(), name: call.params['name'] ?? '' };
    return json(await runs.decide(call.context, approval, await readWish(call, decision)));
  };
  const shared = { method: 'POST', access: 'writer', tag: 'ToolApproval', query: [namespaceParameter] } as const;
  const decided = { 200: { description: 'The decided ToolApproval.', schema: ref('ToolApproval') } };
  const body = (schema: string) => ({
    description: 'Who decides and why.',
    schema: ref(schema),
    contentTypes: RESOURCE_TYPES,
    optional: true,
  });
  return [
    {
      ...shared,
      path: '/v1/tool-approvals/{name}/approve',
      operationId: 'approveToolApproval',
      summary: 'Approve a tool call',
      description:
        'The run goes on in place. An approval about a call of unknown outcome (annotation `svc.dev/approval-reason: unknown_outcome`) needs `outcome`: ' +
        '`done` (it was carried out; `output` may say what it answered), `not_done` (it was not; the model is told) or `run_again` ' +
        '(it is sent again with the same request id). 409 when it has been decided or has expired.',
      body: body('ApproveRequest'),
      responses: decided,
      handle: (call) => decide(call, 'approved'),
    },
    {
      ...shared,
      path: '/v1/tool-approvals/{name}/deny',
      operationId: 'denyToolApproval',
      summary: 'Deny a tool call',
      description: 'The Task ends as Failed with reason `approval_denied`. 409 when the approval has been decided or has expired.',
      body: body('DenyRequest'),
      responses: decided,
      handle: (call) => decide(call, 'denied'),
    },
  ];
}
