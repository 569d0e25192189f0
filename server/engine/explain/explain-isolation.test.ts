import { expect, test } from 'vitest';
import type { StoredObject } from '../../store/store.ts';
import type { RunState } from '../core/state.ts';
import { isolationReasons } from './explain-isolation.ts';

const tool = (isolation_mode: string, type: string) => ({ namespace: 'team', name: 'grep', spec: { type, runtime: { isolation_mode } } });
const running = (mode: string, type = 'cli') => ({ attempt: { snapshot: { tools: { grep: tool(mode, type) } } } }) as unknown as RunState;
const worker = (name: string, available?: boolean): StoredObject => {
  const docker = { backend: 'docker', modes: ['container', 'sandboxed'], available, message: 'the engine does not answer' };
  return { name, status: available === undefined ? {} : { isolation: [docker] } } as unknown as StoredObject;
};

test('a tool that no present worker can isolate is named with the reason', () => {
  const object = { kind: 'Tool', namespace: 'team', name: 'grep' };
  expect(isolationReasons(running('sandboxed'), [worker('w1', false)])).toEqual([
    {
      code: 'isolation_unavailable',
      message: 'worker w1 cannot run Tool team/grep, which is sandboxed: the engine does not answer',
      object,
    },
  ]);
  expect(isolationReasons(running('container'), [worker('w1', false), worker('w2', false)])).toMatchObject([
    { message: 'none of 2 workers can run Tool team/grep, which is container: the engine does not answer' },
  ]);
});

test.each([
  ['one of them can', running('sandboxed'), [worker('w1', false), worker('w2', true)]],
  ['the tool needs no engine', running('none'), [worker('w1', false)]],
  ['the tool brings its own isolation', running('sandboxed', 'wasm'), [worker('w1', false)]],
  ['the tool runs elsewhere', running('sandboxed', 'mcp'), [worker('w1', false)]],
  ['a worker does not say', running('sandboxed'), [worker('w1')]],
  ['there is no worker', running('sandboxed'), []],
  ['the run has not begun', {} as RunState, [worker('w1', false)]],
])('has no reason where %s', (_what, state, workers) => {
  expect(isolationReasons(state, workers)).toEqual([]);
});
