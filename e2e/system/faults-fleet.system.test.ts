// The short form of the fault suite: faults of servers and workers, on one PostgreSQL server.
import { HALVES } from '../faults/scenarios/list.ts';
import { testScenarios } from '../faults/short-form.ts';

testScenarios(HALVES[0]);
