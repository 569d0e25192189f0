import { expect, test } from 'vitest';
import { invalidFields } from './errors.ts';

test('a failure of very many fields counts them all and details a bounded number', () => {
  const fields = Array.from({ length: 20_000 }, (_, index) => ({ path: `spec.f${index}`, message: 'is wrong' }));
  const error = invalidFields('Agent default/a', fields);
  expect(error.message).toBe('Agent default/a is invalid: spec.f0 is wrong; spec.f1 is wrong; spec.f2 is wrong (and 19997 more)');
  expect(error.details).toEqual(fields.slice(0, 1000));
});
