import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent } from './agent/index.ts';
import { agentSystem } from './agent-system/index.ts';
import { checkSpec } from './check.ts';
import type { KindDefinition } from './define.ts';
import { memory } from './memory/index.ts';
import { task } from './task/index.ts';
import { taskApproval } from './task-approval/index.ts';
import { tool } from './tool/index.ts';

const context = { namespace: 'default', name: 'sample' };
const strict = (kind: KindDefinition, raw: unknown) => checkSpec(kind, raw, { context, unknownFields: 'reject' });
const lenient = (kind: KindDefinition, raw: unknown) => checkSpec(kind, raw, { context, unknownFields: 'drop' });

describe('a spec', () => {
  test('counts as empty when it is absent or null', () => {
    expect(strict(memory, undefined)).toEqual({ spec: { provider: 'in-memory' }, errors: [], unknown: [] });
    expect(strict(memory, null)).toEqual({ spec: { provider: 'in-memory' }, errors: [], unknown: [] });
  });

  test.each([
    ['text', 'a string'],
    [7, 'a number'],
    [[], 'a list'],
    [true, 'a boolean'],
  ])('is refused as a whole when it is %j, with one problem', (raw, found) => {
    expect(strict(memory, raw).errors).toEqual([{ path: 'spec', message: `must be an object, not ${found}` }]);
  });

  test('is not changed by the check', () => {
    const raw = Object.freeze({ model_ref: ' m ', tools: Object.freeze(['a', ' a ']), nope: 1 });
    expect(lenient(agent, raw).unknown).toEqual([{ path: 'spec.nope', hint: '' }]);
  });
});

test.each([
  [2 ** 53, 'must be at most 9007199254740991'],
  [-(2 ** 53), 'must be at least -9007199254740991'],
  [1.5, 'must be a whole number, not 1.5'],
])('max_turns %d is refused with the reason', (max_turns, message) => {
  expect(strict(task, { system: 's', max_turns }).errors).toEqual([{ path: 'spec.max_turns', message }]);
});

test('a word that the schema does not list is refused with the listed ones', () => {
  const spec = z.strictObject({ decision: z.enum(['approved', 'denied']).optional() });
  const kind = { ...task, spec, normalize: (value: object) => value, validate: () => [] };
  expect(strict(kind, { decision: 'perhaps' }).errors).toEqual([{ path: 'spec.decision', message: 'must be one of approved, denied' }]);
});

describe('null', () => {
  test('stands for an absent field, at every depth', () => {
    expect(strict(agent, { model_ref: 'm', prompt: null, memory: null, limits: { timeout: null } }).errors).toEqual([]);
  });

  test('in place of a required field leaves it missing', () => {
    expect(strict(agent, { model_ref: null }).errors).toEqual([{ path: 'spec.model_ref', message: 'is required' }]);
  });

  test('is not accepted as an entry of a list', () => {
    expect(strict(agent, { model_ref: 'm', tools: ['a', null] }).errors).toEqual([
      { path: 'spec.tools[1]', message: 'must be a string, not null' },
    ]);
  });
});

describe('unknown fields', () => {
  const raw = {
    agents: ['a'],
    colour: 1,
    graph: {
      a: {
        edges: [
          { to: 'a', weight: 1 },
          { to: 'a', labels: { x: 'y' }, 'odd key': 2 },
        ],
      },
    },
  };

  test('are each refused by path', () => {
    expect(strict(agentSystem, raw).errors.map(({ path }) => path)).toEqual([
      'spec.graph.a.edges[0].weight',
      'spec.graph.a.edges[1]["odd key"]',
      'spec.colour',
    ]);
  });

  test('are dropped and named, and the rest is kept', () => {
    const { spec, errors, unknown } = lenient(agentSystem, raw);
    expect(errors).toEqual([]);
    expect(unknown.map(({ path }) => path).sort()).toEqual([
      'spec.colour',
      'spec.graph.a.edges[0].weight',
      'spec.graph.a.edges[1]["odd key"]',
    ]);
    expect(spec).toMatchObject({ agents: ['a'], graph: { a: { edges: [{ to: 'a' }, { to: 'a', labels: { x: 'y' } }] } } });
  });

  test('beside a wrong type are found all the same', () => {
    expect(
      strict(memory, { type: 1, shape: 2, auth: { secretRef: 3, secret: 4 } })
        .errors.map(({ path }) => path)
        .sort(),
    ).toEqual(['spec.auth.secret', 'spec.auth.secretRef', 'spec.shape', 'spec.type']);
  });
});

describe('rules', () => {
  test('report nothing that only follows from a wrong type', () => {
    const raw = { model_ref: 7, memory: { ref: 5, allow: ['read'] }, execution: { profile: 'contract', tool_sequence: 'search' } };
    expect(strict(agent, raw).errors).toEqual([
      { path: 'spec.model_ref', message: 'must be a string, not a number' },
      { path: 'spec.memory.ref', message: 'must be a string, not a number' },
      { path: 'spec.execution.tool_sequence', message: 'must be a list, not a string' },
    ]);
  });

  test('are reported beside wrong types elsewhere', () => {
    expect(strict(agent, { model_ref: 'm', prompt: 1, limits: { timeout: 'soon' } }).errors.map(({ path }) => path)).toEqual([
      'spec.prompt',
      'spec.limits.timeout',
    ]);
  });

  test('find required fields inside lists and maps', () => {
    const raw = { graph: { 'a b': { edges: [{ to: 'x' }, {}] } }, completion_review: {} };
    expect(strict(agentSystem, raw).errors).toEqual([
      { path: 'spec.graph["a b"].edges[1].to', message: 'is required' },
      { path: 'spec.completion_review.checkpoint_id', message: 'is required' },
    ]);
  });
});

describe('messages', () => {
  test('report which types a field of several takes', () => {
    const raw = { task_ref: 't', checkpoint_id: 'c', output: [1] };
    expect(strict(taskApproval, raw).errors).toEqual([{ path: 'spec.output', message: 'must be a string or an object, not a list' }]);
  });

  test('report what a number must be', () => {
    expect(strict(task, { system: 's', max_turns: 1.5 }).errors[0]?.message).toBe('must be a whole number, not 1.5');
    expect(strict(task, { system: 's', max_turns: '1' }).errors[0]?.message).toBe('must be a whole number, not a string');
  });
});

test('a message quotes only the beginning of a long value', () => {
  const { errors } = lenient(agent, {
    model_ref: 'm',
    limits: { timeout: '9'.repeat(10_000) },
    execution: { profile: 'x'.repeat(10_000) },
  });
  for (const { message } of errors) expect(message.length).toBeLessThan(200);
  expect(errors).toHaveLength(2);
});

describe('keys of the object prototype', () => {
  const hostile = JSON.parse(
    '{"system":"s","__proto__":{"polluted":1},"constructor":{"a":1},"input":{"__proto__":"x","constructor":"y","toString":"z"}}',
  ) as unknown;

  test('are unknown fields like any other', () => {
    expect(strict(task, hostile).errors.map(({ path }) => path)).toEqual(['spec.__proto__', 'spec.constructor']);
  });

  test('are data in maps, and change no prototype', () => {
    const { spec } = lenient(task, hostile);
    expect((spec as { input: object }).input).toMatchObject({ constructor: 'y', toString: 'z' });
    expect(Object.getPrototypeOf((spec as { input: object }).input)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('do not include inherited fields of a spec', () => {
    expect(strict(agentSystem, { graph: JSON.parse('{"constructor":{"next":"a"}}') as unknown }).errors).toEqual([]);
  });
});

describe('a spec as large as it may be', () => {
  const ENTRIES = 1_000;
  const many = (entry: (index: number) => unknown, count = ENTRIES) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, entry(i)]));

  test('loses its unknown fields in one pass', () => {
    const checked = lenient(agent, { model_ref: 'm', ...many(() => 1, ENTRIES - 1) });
    expect(checked.errors).toEqual([]);
    expect(checked.unknown).toHaveLength(ENTRIES - 1);
    expect(checked.spec).toMatchObject({ model_ref: 'm' });
  });

  test('names 100 of its unknown fields and counts the others', () => {
    const { errors } = strict(agent, { model_ref: 'm', ...many(() => 1, 250) });
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toEqual({ path: 'spec', message: 'has 150 more fields that this kind does not have' });
  });

  test('loses its nulls in one pass', () => {
    expect(lenient(task, { system: 's', input: { ...many(() => null, ENTRIES - 1), topic: 'sea' } })).toMatchObject({
      spec: { input: { topic: 'sea' } },
      errors: [],
    });
  });

  test('reports each of its bad values', () => {
    expect(lenient(task, { system: 's', input: many((i) => i) }).errors).toHaveLength(ENTRIES);
    const graph = many(() => ({ next: 1, edges: [{ to: 'a', policy: { condition: 'output_matches:(' } }] }));
    expect(lenient(agentSystem, { agents: ['a'], graph }).errors).toHaveLength(ENTRIES);
    expect(lenient(agent, { model_ref: 'm', tools: Array.from({ length: ENTRIES }, (_, i) => `no name ${i}`) }).errors).toHaveLength(
      ENTRIES,
    );
  });
});

describe('a spec with more than it may have', () => {
  const names = Array.from({ length: 300_000 }, (_, i) => `name-${i}`);
  const map = Object.fromEntries(names.map((name) => [name, 'x']));
  const most = 'must have at most 1000 entries, not 300000';

  test.each([
    ['in a list', agent, { model_ref: 'm', tools: names }, 'spec.tools'],
    ['in a list of roles', agent, { model_ref: 'm', roles: names }, 'spec.roles'],
    ['in a list within a group', tool, { cli: { command: 'x', args: names } }, 'spec.cli.args'],
    ['in a map', task, { system: 's', input: map }, 'spec.input'],
    ['in a map of groups', agentSystem, { agents: ['a'], graph: map }, 'spec.graph'],
    ['in a list within a map', agentSystem, { agents: ['a'], graph: { a: { edges: names } } }, 'spec.graph.a.edges'],
    ['as unknown fields', agent, { model_ref: 'm', ...map }, 'spec'],
    ['as unknown fields of a group', agent, { model_ref: 'm', limits: map }, 'spec.limits'],
  ])('is refused at once, its entries %s', (_what, kind, raw, path) => {
    const began = process.cpuUsage();
    const { errors } = strict(kind as typeof agent, raw);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
    expect(errors).toMatchObject([{ path, message: path === 'spec' ? 'must have at most 1000 entries, not 300001' : most }]);
  });

  test('is refused for one text that is too long', () => {
    expect(strict(agent, { model_ref: 'm', prompt: 'x'.repeat(4 * 1024 * 1024 + 1) }).errors).toMatchObject([{ path: 'spec.prompt' }]);
  });
});

test('an unknown field suggests the nearest one at its place', () => {
  const raw = { promt: 'x', limits: { max_step: 1 }, colour: 1 };
  expect(lenient(agent, { model_ref: 'm', ...raw }).unknown).toEqual([
    { path: 'spec.limits.max_step', hint: '; did you mean "max_steps"?' },
    { path: 'spec.promt', hint: '; did you mean "prompt"?' },
    { path: 'spec.colour', hint: '' },
  ]);
});
