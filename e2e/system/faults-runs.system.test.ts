// The short form of the fault suite: faults that Tasks, Sessions and triggers meet, and those of one server with its own database.
import { HALVES } from '../faults/scenarios/list.ts';
import { testScenarios } from '../faults/short-form.ts';

testScenarios(HALVES[1]);
