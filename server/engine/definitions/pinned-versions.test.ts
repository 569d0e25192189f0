// Versions that a trial pins: their texts run, their rights do not.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { loadDefinitions, type Definitions } from './load-definitions.ts';

let store: Store | undefined;
afterEach(() => store?.close());

const AT = new Date(0).toISOString();
const LIMITS = { number: 100, bytes: 1_000_000 };

interface Definition {
  readonly kind: string;
  readonly name: string;
  /** Specs of generation 1, 2, …; the last one is current. */
  readonly specs: readonly StoredObject['spec'][];
}

async function loaded(definitions: readonly Definition[], trial: object): Promise<Definitions> {
  const opened = (store = await openSqliteStore({ path: ':memory:', clock: systemClock }));
  const base = { namespace: 'home', resourceVersion: 1, labels: {}, annotations: {}, createdAt: AT, updatedAt: AT, status: {} };
  await opened.transaction(async (tx) => {
    for (const { kind, name, specs } of definitions) {
      const uid = randomUUID();
      const today = specs.at(-1) ?? {};
      await tx.insertObject({ ...base, kind, name, uid, generation: specs.length, specBy: 'today', spec: today });
      for (const [index, spec] of specs.slice(0, -1).entries())
        await tx.keepVersion(uid, { generation: index + 1, writtenAt: AT, replacedAt: AT, spec }, LIMITS);
    }
    await tx.insertObject({ ...base, kind: 'Task', name: 'task', uid: randomUUID(), generation: 1, spec: { system: 'desk', trial } });
  });
  const task = await opened.getObject({ kind: 'Task', namespace: 'home', name: 'task' });
  if (!task) throw new Error('no task');
  return loadDefinitions(opened, task);
}

const agent = (prompt: string, more: object = {}) => ({ model_ref: 'fast', prompt, ...more });
const desk = (...agents: StoredObject['spec'][]): Definition[] => [
  { kind: 'AgentSystem', name: 'desk', specs: [{ agents: ['writer'] }] },
  { kind: 'ModelEndpoint', name: 'fast', specs: [{ provider: 'mock' }] },
  { kind: 'ModelEndpoint', name: 'large', specs: [{ provider: 'mock', default_model: 'large-1' }] },
  { kind: 'Tool', name: 'pay', specs: [{ type: 'http' }] },
  { kind: 'Memory', name: 'notes', specs: [{ type: 'vector' }] },
  { kind: 'Agent', name: 'writer', specs: agents },
];
const pin = (name: string, generation: number, kind = 'Agent') => ({ versions: [{ kind, name, generation }] });
const problemsOf = (found: Definitions) => (found.kind === 'invalid' ? found.problems : found);

async function promptOf(found: Promise<Definitions>): Promise<string | undefined> {
  const definitions = await found;
  if (definitions.kind !== 'ready') throw new Error(JSON.stringify(definitions));
  return definitions.snapshot.agents['writer']?.prompt;
}

test.each([
  ['an earlier version', pin('writer', 1), 'first'],
  ['an earlier version by its namespace', pin('home/writer', 2), 'second'],
  ['the current version', pin('writer', 3), 'third'],
  ['no version', {}, 'third'],
])('a trial with %s freezes its prompt', async (_, trial, prompt) => {
  expect(await promptOf(loaded(desk(agent('first'), agent('second'), agent('third')), trial))).toBe(prompt);
});

test('overrides of a trial replace prompt and model of the agent, even of a pinned one', async () => {
  const overrides = { prompt: { writer: 'edited' }, model: { writer: 'large' } };
  const found = await loaded(desk(agent('first'), agent('second')), { ...pin('writer', 1), overrides });
  if (found.kind !== 'ready') throw new Error(JSON.stringify(found));
  expect(found.snapshot.agents['writer']).toMatchObject({ prompt: 'edited', model: 'large' });
});

test.each([
  ['a version that is gone', pin('writer', 9), 'Agent home/writer has no version 9: it never existed or is no longer kept'],
  ['an Agent that is not in the system', pin('reader', 1), 'spec.trial.versions names Agent home/reader, which is not part of the run'],
  ['another system', pin('other', 1, 'AgentSystem'), 'spec.trial.versions names AgentSystem home/other, which is not part of the run'],
  ['a prompt of an unknown agent', { overrides: { prompt: { ghost: 'x' } } }, 'spec.trial.overrides.prompt names ghost, which is not in'],
  ['a model that does not exist', { overrides: { model: { writer: 'none' } } }, 'ModelEndpoint home/none does not exist'],
])('a trial with %s is invalid', async (_, trial, sentence) => {
  expect(problemsOf(await loaded(desk(agent('first'), agent('second')), trial))).toEqual([expect.stringContaining(sentence)]);
});

test.each([
  ['tool', { tools: ['pay'] }, 'the tool pay'],
  ['allowed tool', { allowed_tools: ['home/pay'] }, 'the allowed tool home/pay'],
  ['role', { roles: ['cashier'] }, 'the role cashier'],
  ['Memory', { memory: { ref: 'notes' } }, 'the Memory notes'],
])('a version with a %s that the current Agent lacks is refused', async (_, more, words) => {
  const found = await loaded(desk(agent('first', more), agent('second')), pin('writer', 1));
  expect(problemsOf(found)).toEqual([
    `version 1 of Agent home/writer has ${words}, which the current Agent lacks: a pinned version has no more rights than the current Agent`,
  ]);
});

test('a version with a memory operation that the current Agent lacks is refused', async () => {
  const memory = (...allow: string[]) => ({ memory: { ref: 'notes', allow } });
  const found = await loaded(desk(agent('first', memory('read', 'write')), agent('second', memory('read'))), pin('writer', 1));
  expect(problemsOf(found)).toEqual([expect.stringContaining('has the memory operation write, which the current Agent lacks')]);
});

test('a version with the current rights, named by namespace or not, runs', async () => {
  const more = { tools: ['pay'], allowed_tools: ['pay'], roles: ['cashier'] };
  const full = { tools: ['home/pay'], allowed_tools: ['home/pay'], roles: ['home/cashier'] };
  expect(await promptOf(loaded(desk(agent('first', more), agent('second', full)), pin('writer', 1)))).toBe('first');
});

test.each([
  ['ModelEndpoint', 'fast'],
  ['Tool', 'pay'],
  ['Memory', 'notes'],
  ['ToolPermission', 'payers'],
  ['AgentPolicy', 'limits'],
  ['Secret', 'key'],
])('a pin of a %s that got past the rules of the kind is refused', async (kind, name) => {
  const more = { tools: ['pay'], memory: { ref: 'notes' } };
  const found = await loaded(desk(agent('first', more)), pin(name, 1, kind));
  expect(problemsOf(found)).toEqual([`spec.trial.versions names ${kind} home/${name}, which is not part of the run`]);
});

const review = (checkpoint_id: string) => ({ checkpoint_id });

async function systemOf(...systems: StoredObject['spec'][]) {
  const others = desk(agent('first')).filter(({ kind }) => kind !== 'AgentSystem');
  return loaded([...others, { kind: 'AgentSystem', name: 'desk', specs: systems }], pin('desk', 1, 'AgentSystem'));
}

test('a pinned system keeps the current reviews', async () => {
  const found = await systemOf(
    { agents: ['writer'], graph: { writer: {} } },
    { agents: ['writer'], graph: { writer: { review: review('now') } }, completion_review: review('end') },
  );
  if (found.kind !== 'ready') throw new Error(JSON.stringify(found));
  const { generation, specBy, nodes, completionReview } = found.snapshot.system;
  expect({ generation, specBy }).toEqual({ generation: 1, specBy: 'today' });
  expect([nodes['writer']?.review?.checkpointId, completionReview?.checkpointId]).toEqual(['now', 'end']);
});

test('a pinned system that has no place for a current review is refused', async () => {
  const found = await systemOf({ agents: ['writer'] }, { agents: ['writer'], graph: { writer: { review: review('now') } } });
  expect(problemsOf(found)).toEqual([expect.stringContaining('version 1 of AgentSystem home/desk has no place for the review of writer')]);
});

test('a pinned system that is damaged is refused: what is left out could be a review', async () => {
  const found = await systemOf({ agents: ['writer'], completion_review: 'text' }, { agents: ['writer'] });
  expect(problemsOf(found)).toContainEqual(expect.stringContaining('spec.completion_review must be an object'));
});
