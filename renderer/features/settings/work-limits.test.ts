// Limits of work as a person types them.
import { workLimitsSchema } from '@svc/shared/control';
import { expect, test } from 'vitest';
import { LIMIT_FIELDS, limitOf, type LimitField } from './work-limits.ts';

const [tasks, memory, cpus] = LIMIT_FIELDS as readonly [LimitField, LimitField, LimitField];

test.each([
  [tasks, '', null],
  [tasks, '  ', null],
  [tasks, '1', 1],
  [tasks, ' 256 ', 256],
  [tasks, '0', undefined],
  [tasks, '257', undefined],
  [tasks, '1.5', undefined],
  [tasks, '1e1', undefined],
  [tasks, '-3', undefined],
  [tasks, 'many', undefined],
  [memory, '512', 512],
  [memory, '15', undefined],
  [memory, '1048577', undefined],
  [memory, '512MiB', undefined],
  [cpus, '0.5', 0.5],
  [cpus, '2', 2],
  [cpus, '0.05', undefined],
  [cpus, '0.123', undefined],
  [cpus, '257', undefined],
])('reads $0.key of $1 as $2', (field, text, limit) => expect(limitOf(text, field)).toBe(limit));

test('every limit that the page takes is one that the server takes', () => {
  for (const field of LIMIT_FIELDS)
    for (const value of [field.min, field.max, 16, 0.29, 1.13])
      if (limitOf(`${value}`, field) === value)
        expect(workLimitsSchema.shape[field.key].safeParse(value).success, `${field.key} ${value}`).toBe(true);
});
