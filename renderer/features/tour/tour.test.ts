import { expect, test } from 'vitest';
import { homeProblem, runName, takenBy, TOUR_LABEL, tourDocuments, type TourDocument } from './tour.ts';

const documents: TourDocument[] = [
  { kind: 'Agent', metadata: { name: 'refund-clerk', labels: { blueprint: 'approval' } }, spec: { prompt: 'x' } },
  { kind: 'Task', metadata: { name: 'approval-run' }, spec: {} },
];

test('objects of the tour are labelled, and the run is left to the person', () => {
  expect(tourDocuments(documents)).toEqual([
    {
      kind: 'Agent',
      metadata: { name: 'refund-clerk', labels: { blueprint: 'approval', [TOUR_LABEL]: 'welcome' } },
      spec: { prompt: 'x' },
    },
  ]);
});

test('names are taken by unrelated objects, not by those of an earlier tour', () => {
  const there = (labels: Record<string, string>) => [{ kind: 'Agent', metadata: { name: 'refund-clerk', labels } }];
  expect(takenBy(documents, there({}))).toEqual([{ kind: 'Agent', name: 'refund-clerk' }]);
  expect(takenBy(documents, there({ [TOUR_LABEL]: 'welcome' }))).toEqual([]);
  expect(takenBy(documents, [{ kind: 'Agent', metadata: { name: 'other' } }])).toEqual([]);
});

test.each([
  ['default', undefined],
  ['', 'Enter a namespace.'],
  ['No Good', 'It must be 1 to 63 lower-case letters, digits or "-".'],
])('the namespace %j: %s', (namespace, problem) => expect(homeProblem(namespace)).toBe(problem));

test('names of runs differ by time', () => expect(runName(1000)).not.toBe(runName(2000)));
