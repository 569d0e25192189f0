// Decision records as the log keeps them, and the key they are checked with. Reads only: a record is written with its decision.
import { DECISION_TYPES } from '@svc/shared/decision-record';
import { ServiceError } from '@svc/shared/errors';
import type { DecisionLog } from '../../decisions/record-decision.ts';
import { json, type Call, type Parameter, type Route } from '../route.ts';
import { objectReference } from '../text-types.ts';
import { integer, limitParameter, LIST_LIMIT, namespaceParameter, textFilter } from './parameters.ts';
import { pageOf, ref } from './schemas.ts';

const TAG = 'Decisions';
const PAGE_DEFAULT = 100;
const SEQ_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER };

const after = integer('after', 'Only records of a greater number: the `continue` of the page before.', { min: 0, default: 0 });
const typeParameter: Parameter = {
  name: 'type',
  description: 'Only decisions of this type.',
  schema: { type: 'string', enum: [...DECISION_TYPES] },
};

/** A name in the namespace of the request, or `namespace/name`. */
function ownerFilter({ query }: Call, name: 'approval' | 'task'): { [owner in typeof name]?: string } {
  const given = query.text(name);
  if (given === undefined) return {};
  return { [name]: given.includes('/') ? given : `${query.namespace()}/${given}` };
}

async function listPage(decisions: DecisionLog, call: Call): Promise<unknown> {
  const type = call.query.oneOf('type', DECISION_TYPES);
  const { items, next } = await decisions.list({
    after: call.query.integer('after', SEQ_RANGE) ?? 0,
    limit: call.query.integer('limit', LIST_LIMIT) ?? PAGE_DEFAULT,
    ...(type && { type }),
    ...ownerFilter(call, 'approval'),
    ...ownerFilter(call, 'task'),
  });
  return { items, ...(next !== undefined && { continue: String(next) }) };
}

async function readOne(decisions: DecisionLog, text: string): Promise<unknown> {
  const record = /^[1-9]\d{0,15}$/.test(text) ? await decisions.read(Number(text)) : undefined;
  if (record) return record;
  throw new ServiceError('not_found', `There is no decision record ${text.slice(0, 32)}`);
}

export function decisionRoutes(decisions: DecisionLog): Route[] {
  const shared = { method: 'GET', access: 'reader', tag: TAG } as const;
  return [
    {
      ...shared,
      path: '/v1/decisions',
      operationId: 'listDecisions',
      summary: 'List decision records',
      description:
        'In the order of their numbers, which have no gaps. Each is signed and names the hash of the one before; `npx svcctl decisions verify` checks them. ' +
        'A page may be shorter than `limit`: the end is reached when it has no `continue`.',
      query: [
        namespaceParameter,
        textFilter('approval', objectReference, 'Only decisions on this approval, as name or namespace/name.'),
        textFilter('task', objectReference, 'Only decisions for this Task, as name or namespace/name.'),
        typeParameter,
        limitParameter,
        after,
      ],
      responses: { 200: { description: 'The records.', schema: pageOf(ref('DecisionRecord')) } },
      handle: async (call) => json(await listPage(decisions, call)),
    },
    {
      ...shared,
      path: '/v1/decisions/key',
      operationId: 'getDecisionKey',
      summary: 'The public key of decision records',
      responses: { 200: { description: 'The key.', schema: ref('DecisionKey') } },
      handle: async () => json(await decisions.publicKey()),
    },
    {
      ...shared,
      path: '/v1/decisions/head',
      operationId: 'getDecisionHead',
      summary: 'The newest decision record',
      description:
        'Number and hash of the newest record, which the server keeps beside the records. `authenticated` says whether it is proven with the ' +
        'encryption key; `fault` names tampering that the server found.',
      responses: { 200: { description: 'The end of the records.', schema: ref('DecisionHead') } },
      handle: async () => json(await decisions.head()),
    },
    {
      ...shared,
      path: '/v1/decisions/{seq}',
      operationId: 'getDecision',
      summary: 'Read a decision record',
      responses: { 200: { description: 'The record.', schema: ref('DecisionRecord') } },
      handle: async (call) => json(await readOne(decisions, call.params['seq'] ?? '')),
    },
  ];
}
