import { expect, test } from 'vitest';
import { PullProgress } from './pull-progress.ts';

test('layers and bytes are summed up as the engine reports them', () => {
  const progress = new PullProgress();
  const add = (id: string, status: string, current?: number, total?: number) =>
    progress.add({ id, status, progressDetail: current === undefined ? {} : { current, total } });
  expect(progress.summary()).toEqual({ layers_total: 0, layers_done: 0, bytes_done: 0, bytes_total: 0 });
  progress.add({ id: '1', status: 'Pulling from team/tool' });
  progress.add('rubbish');
  add('a', 'Pulling fs layer');
  add('b', 'Pulling fs layer');
  add('c', 'Already exists');
  add('a', 'Downloading', 10, 100);
  add('b', 'Downloading', 50, 200);
  expect(progress.summary()).toEqual({ layers_total: 3, layers_done: 1, bytes_done: 60, bytes_total: 300 });
  add('a', 'Download complete');
  add('a', 'Extracting', 1, 900);
  add('a', 'Pull complete');
  add('b', 'Downloading', 200, 200);
  expect(progress.summary()).toEqual({ layers_total: 3, layers_done: 2, bytes_done: 300, bytes_total: 300 });
});

test('all layers of a pull that has ended are done, where the engine reports downloads alone', () => {
  const progress = new PullProgress();
  for (const id of ['a', 'b']) {
    progress.add({ id, status: 'Pulling fs layer', progressDetail: {} });
    progress.add({ id, status: 'Download complete', progressDetail: {} });
  }
  expect(progress.finish()).toEqual({ layers_total: 2, layers_done: 2, bytes_done: 0, bytes_total: 0 });
});
