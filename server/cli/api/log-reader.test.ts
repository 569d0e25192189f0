// The reader of an agent's log, on pages in the order of the API: the newest task first, each task with its lines in order.
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { expect, it } from 'vitest';
import type { ApiClient } from './client.ts';
import { agentLogReader } from './log-reader.ts';

const line = (second: number, task: string) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z step task=${task}`;

function setup() {
  const pages: string[][] = [];
  const asked: (string | undefined)[] = [];
  const send = ({ query }: { query: { after?: string } }) => {
    asked.push(query.after);
    const index = Number(query.after ?? 0);
    const rest = index + 1 < pages.length && { continue: String(index + 1) };
    return Promise.resolve({ status: 200, warnings: [], body: { name: 'a', logs: pages[index], ...rest } });
  };
  const key = { kind: kindByName('Agent') as KindDefinition, namespace: 'default', name: 'a' };
  const read = agentLogReader({ send } as unknown as ApiClient, key);
  const lines = async () => {
    const taken: string[] = [];
    await read((part) => taken.push(...part));
    return taken;
  };
  return { pages, asked, lines };
}

it('hands on all pages in order of time, also behind a page without lines', async () => {
  const { pages, lines } = setup();
  pages.push([line(8, 'third'), line(9, 'third')], [], [line(3, 'second'), line(6, 'second'), line(1, 'first'), line(4, 'first')]);
  expect(await lines()).toEqual([
    line(1, 'first'),
    line(3, 'second'),
    line(4, 'first'),
    line(6, 'second'),
    line(8, 'third'),
    line(9, 'third'),
  ]);
});

it('hands on the lines of later tasks and reads only pages that may have some', async () => {
  const { pages, asked, lines } = setup();
  pages.push([line(1, 'first')], [line(0, 'older')]);
  await lines();
  expect(await lines()).toEqual([]);
  pages.unshift([line(5, 'second')]);
  pages[1]?.push(line(2, 'first'));
  asked.length = 0;
  expect(await lines()).toEqual([line(2, 'first'), line(5, 'second')]);
  expect(asked).toEqual([undefined, '1', '2']);
});

it('hands on a line that repeats an earlier one, and those of a new task with the name of a deleted one', async () => {
  const { pages, lines } = setup();
  pages.push([line(1, 'first'), line(2, 'first')]);
  await lines();
  pages[0]?.push(line(2, 'first'));
  expect(await lines()).toEqual([line(2, 'first')]);
  pages[0] = [line(5, 'first')];
  expect(await lines()).toEqual([line(5, 'first')]);
});
