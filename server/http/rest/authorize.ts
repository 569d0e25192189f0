// Preview of governance's verdict on a call. The answer is governance's; this file only translates.
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { formatDuration } from '@svc/shared/duration';
import { isObject, type JsonObject } from '@svc/shared/json';
import { objectRef, oneOf } from '@svc/shared/kinds/field-rules';
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import { namespaceProblem } from '@svc/shared/resource';
import type { RuleFinding, RuleRef, TokenLimit } from '../../engine/ports.ts';
import type { AccessAnswer, AccessCheck, AccessQuestion } from '../../governance/access-check.ts';
import { json, SMALL_BODY_MAX_BYTES, type Call, type Route } from '../route.ts';
import { namespaceParameter } from './parameters.ts';
import { ref } from './schemas.ts';

const WHAT = 'The authorization check';
const REQUIRED = ['agent', 'tool'] as const;
const NAMES = [...REQUIRED, 'system', 'task', 'model'] as const;
const FIELDS: readonly string[] = [...NAMES, 'operation', 'namespace'];

/** Nothing is passed over: a misspelt field would make the answer one to another question. */
function fieldErrors(body: Readonly<Record<string, unknown>>): FieldError[] {
  const strange = Object.keys(body).filter((field) => !FIELDS.includes(field));
  const wrong = FIELDS.filter((field) => body[field] !== undefined && typeof body[field] !== 'string');
  const errors = [
    ...strange.map((path) => ({ path, message: `is not a field of a check; it takes ${FIELDS.join(', ')}` })),
    ...wrong.map((path) => ({ path, message: 'must be a string' })),
  ];
  if (wrong.length > 0) return errors;
  const { namespace, operation, ...names } = body as Readonly<Partial<Record<string, string>>>;
  const problem = namespace === undefined ? undefined : namespaceProblem(namespace);
  const blank = NAMES.filter((field) => (names[field] ?? (field === 'agent' || field === 'tool' ? '' : 'x')).trim() === '');
  return [
    ...errors,
    ...blank.map((path) => ({ path, message: 'is required' })),
    ...NAMES.flatMap((field) => objectRef(field, names[field]?.trim())),
    ...oneOf('operation', operation, OPERATION_CLASSES),
    ...(problem === undefined ? [] : [{ path: 'namespace', message: problem }]),
  ];
}

/** The question in a body; `namespace` is the request's. Throws `invalid`, naming every field that does not fit. */
export function accessQuestion(body: unknown, namespace: () => string): AccessQuestion {
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object');
  const errors = fieldErrors(body);
  if (errors.length > 0) throw invalidFields(WHAT, errors);
  const fields = body as Readonly<Partial<Record<keyof AccessQuestion, string>>>;
  const optional = (['system', 'task', 'model', 'operation'] as const).flatMap((name) => {
    const value = fields[name]?.trim();
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    namespace: fields.namespace ?? namespace(),
    agent: fields.agent?.trim() ?? '',
    tool: fields.tool?.trim() ?? '',
    ...Object.fromEntries(optional),
  };
}

// ---------------------------------------------------------------- the answer

type Judged = AccessAnswer['call'] | NonNullable<AccessAnswer['model']>['verdict'];

const samePlace = (a: RuleRef, b: RuleRef): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name && a.path === b.path;

/** Message of the deciding rule. */
function messageOf({ rule, findings }: { readonly rule: RuleRef; readonly findings: readonly RuleFinding[] }, otherwise: string): string {
  return findings.find((finding) => finding.effect === 'allow' && samePlace(finding.rule, rule))?.message ?? otherwise;
}

const ALLOWED_BY: Readonly<Record<string, string>> = {
  Agent: 'allowed_in_advance',
  ToolPermission: 'tool_permission',
  AgentPolicy: 'agent_policy',
};

function verdictBody(judged: Judged, otherwise: string, needsOther = false): JsonObject {
  const { verdict, rule, findings } = judged;
  const shared = { rule: { ...rule }, findings: findings.map((finding) => ({ ...finding, rule: { ...finding.rule } })) };
  if (verdict === 'allow') {
    return { verdict, reason: ALLOWED_BY[rule.kind] ?? 'default', message: messageOf(judged, otherwise), ...shared };
  }
  if (verdict === 'deny') return { verdict, code: judged.code, reason: judged.reason, message: judged.message, ...shared };
  const { reason, operation, ttlMs } = judged;
  return {
    verdict,
    reason: 'approval_required',
    message: `a person has to approve each ${operation} call: ${reason}`,
    ...shared,
    approval: { ttl: formatDuration(ttlMs), reason, operation_class: operation, ...(needsOther && { needs_other: true }) },
  };
}

function limitBody(limit: TokenLimit | undefined): JsonObject {
  return limit ? { token_limit: { tokens: limit.tokens, rule: { ...limit.rule } } } : {};
}

/** The answer as every surface gives it. */
export function answerBody({ agent, tool, call, model, needsOther }: AccessAnswer): JsonObject {
  const named = { agent: `${agent.namespace}/${agent.name}`, tool: `${tool.namespace}/${tool.name}` };
  const body = { ...verdictBody(call, 'no rule denies it', needsOther), ...named };
  if (!model) return body;
  const { endpoint, verdict } = model;
  const limit = verdict.verdict === 'allow' ? verdict.tokenLimit : undefined;
  const judged = verdictBody(verdict, `no policy restricts the models of this run, so ${model.model} may be called`);
  return { ...body, ...limitBody(limit), model: { endpoint: `${endpoint.namespace}/${endpoint.name}`, model: model.model, ...judged } };
}

async function answerCall(access: AccessCheck, call: Call): Promise<JsonObject> {
  const question = accessQuestion(await call.readDocument(), () => call.query.namespace());
  return answerBody(await access.check(question));
}

export function authorizeRoute(access: AccessCheck): Route {
  return {
    method: 'POST',
    path: '/v1/authorize/check',
    access: 'reader',
    tag: 'Governance',
    operationId: 'checkAuthorization',
    summary: 'Check the verdict on a tool call',
    description:
      'The verdict that a call would get now, with every rule that was read, from the code that judges runs. Nothing is called or written. ' +
      'The status is 200 for every verdict: an agent, system, tool or model that does not exist, and a tool that the agent does not list, are a `deny` ' +
      'with code `not_found` or `unsupported_tool`. `model` is the separate verdict on the model of the agent.',
    query: [namespaceParameter],
    body: { description: 'The call.', schema: ref('AuthorizationCheck'), maxBytes: SMALL_BODY_MAX_BYTES },
    responses: { 200: { description: 'The verdict and its reasons.', schema: ref('AuthorizationVerdict') } },
    handle: async (call) => json(await answerCall(access, call)),
  };
}
