import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '@svc/shared/labels';
import type { Change, ChangeType, StoredObject } from '../../store/store.ts';
import { NEEDS_HISTORY, WatchView } from './watch-view.ts';
import type { Verdict } from './watch-view.ts';

const at = '2026-01-01T00:00:00.000Z';

/** `A3x`: the object of uid A at version 3 with label app=x; no label without the letter. */
function object(text: string): StoredObject {
  const [uid = '', version = '', app] = text;
  const labels: Record<string, string> = app ? { app } : {};
  return {
    ...{ kind: 'Agent', namespace: 'default', name: 'a', uid, resourceVersion: Number(version), generation: 1 },
    ...{ labels, annotations: {}, createdAt: at, updatedAt: at, spec: {}, status: {} },
  };
}

function change(type: ChangeType, text?: string): Change {
  const common = { kind: 'Agent', namespace: 'default', name: 'a', seq: 1, timestamp: at, type };
  return text === undefined
    ? { ...common, resourceVersion: 0 }
    : { ...common, resourceVersion: object(text).resourceVersion, object: object(text) };
}

type Step = [ChangeType, string, Verdict];
const selector = parseLabelSelector('app=x');

describe('changes that overtook the snapshot', () => {
  it.each<[string, string | undefined, Step[]]>([
    [
      'already shown by a page',
      'A3',
      [
        ['updated', 'A2', undefined],
        ['updated', 'A3', undefined],
      ],
    ],
    ['newer than the page', 'A3', [['updated', 'A4', 'updated']]],
    [
      'of an object made after its page',
      undefined,
      [
        ['created', 'A1', 'created'],
        ['updated', 'A2', 'updated'],
      ],
    ],
    ['a deletion after the page', 'A3', [['deleted', 'A3', 'deleted']]],
    [
      'of an earlier object of the name',
      'B1',
      [
        ['updated', 'A2', undefined],
        ['deleted', 'A2', undefined],
        ['created', 'B1', undefined],
        ['updated', 'B2', 'updated'],
      ],
    ],
    [
      'of a later object of the name',
      'A3',
      [
        ['deleted', 'A3', 'deleted'],
        ['created', 'B1', 'created'],
        ['updated', 'B2', 'updated'],
        ['deleted', 'B2', 'deleted'],
      ],
    ],
    ['of an object deleted before its page', undefined, [['deleted', 'A3', undefined]]],
  ])('%s', (_title, shown, steps) => {
    const view = new WatchView(undefined, 'fresh');
    if (shown) view.showSnapshot(object(shown));
    expect(steps.map(([type, text]) => view.judge(change(type, text)))).toEqual(steps.map(([, , verdict]) => verdict));
  });
});

describe('a plain view after its snapshot', () => {
  it('passes on every change unchanged, and no facts', () => {
    const view = new WatchView(undefined, 'fresh');
    view.endSnapshot();
    expect([change('created', 'A1'), change('updated', 'A2'), change('fact'), change('deleted', 'A2')].map((c) => view.judge(c))).toEqual([
      'created',
      'updated',
      undefined,
      'deleted',
    ]);
  });
});

describe('a labelled view', () => {
  it.each<[string, string | undefined, Step[]]>([
    [
      'enters the selector',
      undefined,
      [
        ['created', 'A1y', undefined],
        ['updated', 'A2x', 'created'],
        ['updated', 'A3x', 'updated'],
      ],
    ],
    [
      'leaves the selector',
      'A1x',
      [
        ['updated', 'A2y', 'deleted'],
        ['updated', 'A3y', undefined],
        ['deleted', 'A3y', undefined],
      ],
    ],
    [
      'comes back',
      'A1x',
      [
        ['updated', 'A2', 'deleted'],
        ['updated', 'A3x', 'created'],
        ['deleted', 'A3x', 'deleted'],
      ],
    ],
    [
      'is replaced under its name',
      'A1x',
      [
        ['deleted', 'A1x', 'deleted'],
        ['created', 'B1y', undefined],
        ['updated', 'B2x', 'created'],
      ],
    ],
  ])('sees an object that %s', (_title, shown, steps) => {
    const view = new WatchView(selector, 'fresh');
    if (shown) view.showSnapshot(object(shown));
    view.endSnapshot();
    expect(steps.map(([type, text]) => view.judge(change(type, text)))).toEqual(steps.map(([, , verdict]) => verdict));
  });

  it.each<[string, boolean, Step]>([
    ['an update that matches, had before', true, ['updated', 'A5x', 'updated']],
    ['an update that matches, not had before', false, ['updated', 'A5x', 'created']],
    ['an update that does not match, had before', true, ['updated', 'A5y', 'deleted']],
    ['an update that does not match, not had before', false, ['updated', 'A5y', undefined]],
  ])('resumed, reads the past once for %s', (_title, had, [type, text, verdict]) => {
    const view = new WatchView(selector, 'resumed');
    expect(view.judge(change(type, text))).toBe(NEEDS_HISTORY);
    view.learn(change(type, text), had);
    expect(view.judge(change(type, text))).toBe(verdict);
    expect(view.judge(change('updated', 'A6y'))).not.toBe(NEEDS_HISTORY);
  });

  it.each<Step>([
    ['created', 'A1x', 'created'],
    ['created', 'A1y', undefined],
    ['deleted', 'A5x', 'deleted'],
    ['deleted', 'A5y', undefined],
  ])('resumed, needs no past for %s %s', (type, text, verdict) => {
    expect(new WatchView(selector, 'resumed').judge(change(type, text))).toBe(verdict);
  });
});
