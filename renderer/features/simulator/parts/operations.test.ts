import { OPERATION_CLASSES as declared } from '@svc/shared/kinds/tool/schema';
import { expect, test } from 'vitest';
import { OPERATION_CLASSES } from './operations.ts';

test('the classes offered are those that tools declare', () => expect(OPERATION_CLASSES).toEqual(declared));
