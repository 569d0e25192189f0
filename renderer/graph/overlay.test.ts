import { expect, test } from 'vitest';
import { foremostAgent, type NodeOverlay } from './overlay.ts';

const overlay = (nodes: Record<string, NodeOverlay>) => ({ nodes: new Map(Object.entries(nodes)), edges: new Map() });

test('the foremost agent waits for a person, else runs, else failed', () => {
  const done: NodeOverlay = { state: 'succeeded' };
  const [waiting, running, failed] = [{ state: 'waiting' }, { state: 'running' }, { state: 'failed' }] as const;
  expect(foremostAgent(overlay({ done, failed, running, waiting }))).toBe('waiting');
  expect(foremostAgent(overlay({ done, failed, running }))).toBe('running');
  expect(foremostAgent(overlay({ done, failed }))).toBe('failed');
  expect(foremostAgent(overlay({ done }))).toBeUndefined();
  // Messages, rather than a person, are what a join waits for.
  expect(foremostAgent(overlay({ join: { state: 'waiting', arrived: '1/2' }, running }))).toBe('running');
});
