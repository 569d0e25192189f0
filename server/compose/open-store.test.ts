import { expect, test } from 'vitest';
import { describeDatabase } from './open-store.ts';

test.each([
  ['postgres://user:hunter2@db.example:5433/svc', 'postgres://db.example:5433/svc'],
  ['postgresql://db.example/svc?sslmode=require&password=hunter2', 'postgres://db.example/svc'],
  ['postgres://user:hunter2@/svc?host=/run/postgresql', 'postgres:///run/postgresql/svc'],
])('%s is shown without user and password', (url, database) => {
  expect(describeDatabase({ kind: 'postgres', url, maxConnections: 1 })).toEqual({ database });
});
