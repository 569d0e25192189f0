// Verification of one decision record: its content, its place between its neighbours, and whether it is about this approval. Pure except
// for the given crypto.
import { checkDecision, FIRST_PREVIOUS_HASH, type DecisionCrypto, type SignedDecision } from '@svc/shared/decision-record';
import { canonicalJson } from '@svc/shared/json';
import type { Approval, ToolApproval } from '../model/approval.ts';

interface Neighbours {
  /** Undefined for record 1. */
  readonly before: SignedDecision | undefined;
  /** The first of its successors; undefined for the newest. */
  readonly after: SignedDecision | undefined;
}

export interface Verification {
  /** `whole`: hash and signature. `hash-only`: this browser cannot check signatures. */
  readonly state: 'whole' | 'hash-only' | 'broken';
  /** All problems. */
  readonly faults: readonly string[];
  readonly keyId: string;
  /** The numbers of its neighbours in the chain. */
  readonly chainedTo: readonly number[];
}

export interface VerifyOptions {
  readonly crypto: DecisionCrypto;
  readonly signaturesChecked: boolean;
  readonly neighbours: Neighbours;
  /** The approval that the record should describe. */
  readonly approval?: Approval | undefined;
}

export async function verifyRecord(record: SignedDecision, options: VerifyOptions): Promise<Verification> {
  const { crypto, signaturesChecked, neighbours, approval } = options;
  const broken = await checkDecision(record, crypto);
  const faults = [
    ...(broken ? [broken.message] : []),
    ...chainFaults(record, neighbours),
    ...(approval ? mismatches(record, approval) : []),
  ];
  const { before, after } = neighbours;
  const chainedTo = [before?.seq, isNext(record, after) ? after?.seq : undefined].filter((seq) => seq !== undefined);
  return { state: faults.length > 0 ? 'broken' : signaturesChecked ? 'whole' : 'hash-only', faults, keyId: record.key_id, chainedTo };
}

const isNext = ({ seq }: SignedDecision, after: SignedDecision | undefined): boolean => after?.seq === seq + 1;

function chainFaults(record: SignedDecision, { before, after }: Neighbours): string[] {
  const faults: string[] = [];
  if (record.seq === 1 && record.previous_hash !== FIRST_PREVIOUS_HASH) faults.push('record 1 does not begin a chain');
  if (record.seq > 1 && !before) faults.push(`record ${record.seq - 1}, which it follows, is missing`);
  if (before && record.previous_hash !== before.hash) faults.push(`record ${record.seq} does not follow record ${before.seq}`);
  if (after && !isNext(record, after)) faults.push(`record ${record.seq + 1}, which follows it, is missing`);
  else if (after && after.previous_hash !== record.hash) faults.push(`record ${after.seq} does not follow record ${record.seq}`);
  return faults;
}

const DECISIONS: Readonly<Record<string, string>> = {
  Approved: 'approved',
  Denied: 'denied',
  Expired: 'expired',
  ChangesRequested: 'request_changes',
};

type Claim = readonly [what: string, object: string | undefined, signed: string | undefined];

/** JSON text with sorted keys; other text unchanged. */
function canonical(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

const signedJson = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value));

/** Signed facts of a call: the requested input and the approved one. A run that was deleted by then left no input in the record. */
function callClaims(record: SignedDecision, { tool, input, editedInput, outcome }: ToolApproval): Claim[] {
  return [
    ['tool', tool.name, record.tool?.split('/').at(-1)],
    ['outcome', outcome, record.outcome],
    ['edited input', canonical(editedInput), signedJson(record.edited_input)],
    ...(record.proposed_input === undefined ? [] : [['input', canonical(input), signedJson(record.proposed_input)] as const]),
  ];
}

/** Differences between the object's decision and the signed one: the object can be edited, the record cannot. */
function mismatches(record: SignedDecision, approval: Approval): string[] {
  const { decision, phase, uid, namespace, name } = approval;
  const claims: Claim[] = [
    ['approval', `${namespace}/${name}`, `${record.approval.namespace}/${record.approval.name}`],
    ['uid', uid, record.approval.uid],
    ['decision', DECISIONS[phase] ?? phase, record.decision],
    ['decider', decision.by, record.decider?.name],
    ['comment', decision.comment, record.comment],
    ['task', approval.task.name, record.task.name],
    ...(approval.kind === 'ToolApproval' ? callClaims(record, approval) : []),
  ];
  return claims
    .filter(([, object, signed]) => object !== signed)
    .map(([what, object, signed]) => `the object has ${what} ${object ?? 'nothing'}, the signed record ${signed ?? 'nothing'}`);
}
