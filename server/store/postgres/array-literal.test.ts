import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { boundValue } from './array-literal.ts';

/** Milliseconds of processor time, which other programs of a busy machine do not add to. */
function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it.each(['"', '\\'])('writes millions of %s in a moment', (character) => {
  const texts = [character.repeat(4_000_000), null];
  expect(processorMs(() => boundValue(texts))).toBeLessThan(1_500);
});

it('leaves values that are no array of texts as they are', () => {
  for (const value of ['a"b', 1, null, [1, 2]]) expect(boundValue(value)).toBe(value);
});

describe.skipIf(withoutPostgres('arrays of PostgreSQL'))('on a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  it('reads the texts that were written', async () => {
    const controls = Array.from({ length: 31 }, (_, index) => `a"${String.fromCharCode(index + 1)}\\b`);
    const texts = [
      '',
      'NULL',
      'null',
      '{a,b}',
      ' a ',
      '\\n',
      '\\"',
      "'",
      '\u007f\u0085\u2028\ufeff',
      '😀',
      '{"a":"\\u0000\\ud800\\\\"}',
      ...controls,
    ];
    const client = new pg.Client({ connectionString: await server.createDatabase() });
    await client.connect();
    const { rows } = await client.query('SELECT $1::text[] AS texts, $2::text[] AS none', [boundValue(texts), boundValue([])]);
    await client.end();
    expect(rows).toEqual([{ texts, none: [] }]);
  });
});
