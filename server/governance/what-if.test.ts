import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceError } from '@svc/shared/errors';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { policy, storedRule } from '../testing/governance-rules.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createAccessCheck, type AccessCheck } from './access-check.ts';
import { createGovernance } from './create-governance.ts';
import { readWhatIf, withObjects, WHAT_IF_CHARACTERS_MAX, WHAT_IF_DOCUMENTS_MAX } from './what-if.ts';

let store: Store;
let access: AccessCheck;

const put = (...objects: readonly StoredObject[]) =>
  store.transaction(async (tx) => {
    for (const object of objects) await tx.insertObject({ ...object, uid: `${object.kind}/${object.namespace}/${object.name}` });
  });

beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: createManualClock() });
  access = createAccessCheck({
    store,
    governance: createGovernance({ defaultVerdict: 'allow' }),
    canRun: () => Promise.resolve(undefined),
    defaultVerdict: 'allow',
    needOther: false,
  });
  await put(
    storedRule('Agent', 'writer', { model_ref: 'fast', tools: ['mail'] }),
    storedRule('Tool', 'mail', { type: 'http', endpoint: 'https://mail.example', operation_classes: ['read'] }),
    storedRule('ToolPermission', 'mail', { operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] }),
  );
});
afterEach(() => store.close());

const document = (kind: string, name: string, spec: object, namespace?: string) => ({
  apiVersion: 'svc.dev/v1',
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec,
});
const question = { namespace: 'team', agent: 'writer', tool: 'mail' };
const now = async () => (await access.check(question)).call.verdict;
const given = async (...documents: readonly unknown[]) => {
  const [answer] = await access.whatIf({ questions: [question], documents, namespace: 'team' });
  return `${answer?.call.verdict} by ${answer?.call.rule.kind} ${answer?.call.rule.name}`;
};

describe('the verdict with unstored documents', () => {
  test('is that of the stored rules when the documents have no rule for it', async () =>
    expect(await given(document('AgentRole', 'other', { permissions: ['x'] }))).toBe('approval_required by ToolPermission mail'));

  test('follows a document in the place of a stored rule, and the next check the stored one', async () => {
    expect(await now()).toBe('approval_required');
    expect(await given(document('ToolPermission', 'mail', { operation_rules: [{ operation_class: '*', verdict: 'deny' }] }))).toBe(
      'deny by ToolPermission mail',
    );
    expect(await given(document('ToolPermission', 'mail', {}))).toBe('allow by ToolPermission mail');
    expect(await now()).toBe('approval_required');
  });

  test('follows a document beside the stored rules', async () =>
    expect(await given(document('AgentPolicy', 'new', { apply_mode: 'global', blocked_tools: ['mail'] }))).toBe('deny by AgentPolicy new'));

  test('takes a document that names another namespace as one of that', async () =>
    expect(await given(document('AgentPolicy', 'new', { apply_mode: 'global', blocked_tools: ['mail'] }, 'other'))).toBe(
      'approval_required by ToolPermission mail',
    ));

  test('finds an agent and a tool that are only in the documents', async () => {
    const documents = [
      document('Agent', 'fresh', { model_ref: 'fast', tools: ['press'] }),
      document('Tool', 'press', { type: 'http', endpoint: 'https://press.example' }),
    ];
    const questions = [{ namespace: 'team', agent: 'fresh', tool: 'press' }, question];
    const answers = await access.whatIf({ questions, documents, namespace: 'team' });
    expect(answers.map(({ call }) => call.verdict)).toEqual(['allow', 'approval_required']);
  });

  test('leaves the store as it was', async () => {
    const before = await store.changeBounds();
    await given(document('AgentPolicy', 'new', { apply_mode: 'global', blocked_tools: ['mail'] }));
    expect(await store.changeBounds()).toEqual(before);
    expect(await store.getObject({ kind: 'AgentPolicy', namespace: 'team', name: 'new' })).toBeUndefined();
  });
});

describe('documents that are refused', () => {
  const refusal = (documents: readonly unknown[]): ServiceError => {
    try {
      readWhatIf(documents, 'team');
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error('the documents were taken');
  };

  test('are those that break a rule of their kind, each at its path', () => {
    const { code, details } = refusal([
      document('AgentRole', 'fine', { permissions: ['x'] }),
      document('ToolPermission', 'mail', { match_mode: 'some', typo: 1 }),
    ]);
    expect(code).toBe('invalid');
    expect(details?.map(({ path }) => path)).toEqual(expect.arrayContaining(['documents[1].spec.match_mode', 'documents[1].spec.typo']));
    expect(details?.some(({ path }) => path.startsWith('documents[0]'))).toBe(false);
  });

  test.each([['Secret'], ['SealedSecret'], ['Task'], ['ModelEndpoint'], [undefined]])('are those of kind %s', (kind) => {
    const { code, details } = refusal([{ kind, metadata: { name: 'x' }, spec: { stringData: { value: 'hidden' } } }]);
    expect(code).toBe('invalid');
    expect(details?.[0]?.path).toBe('documents[0].kind');
    expect(JSON.stringify(details)).not.toContain('hidden');
  });

  test('are two of one name', () => expect(refusal([document('AgentRole', 'r', {}), document('AgentRole', 'r', {})]).code).toBe('invalid'));

  test('are too many, or too long', () => {
    const many = Array.from({ length: WHAT_IF_DOCUMENTS_MAX + 1 }, (_, at) => document('AgentRole', `r${at}`, {}));
    expect(refusal(many).code).toBe('too_large');
    expect(readWhatIf(many.slice(1), 'team')).toHaveLength(WHAT_IF_DOCUMENTS_MAX);
    expect(refusal([document('AgentRole', 'r', { permissions: ['x'.repeat(WHAT_IF_CHARACTERS_MAX)] })]).code).toBe('too_large');
  });
});

test('pages of the store and the objects laid over it are one list in order, nothing twice and nothing left out', async () => {
  const names = ['b', 'd', 'f', 'h'];
  await put(...names.map((name) => policy(name, {})));
  const laid = ['a', 'd', 'e', 'z'].map((name) => ({ ...policy(name, { max_tokens_per_run: 5 }), uid: 'laid' }));
  const reader = withObjects(store, laid);
  const found: string[] = [];
  for (let after: StoredObject | undefined, more = true; more;) {
    const page = await reader.listObjects({ kind: 'AgentPolicy', limit: 2, ...(after && { after }) });
    found.push(...page.map(({ name, uid }) => (uid === 'laid' ? name.toUpperCase() : name)));
    after = page.at(-1);
    more = page.length === 2;
  }
  expect(found).toEqual(['A', 'b', 'D', 'E', 'f', 'h', 'Z']);
});
