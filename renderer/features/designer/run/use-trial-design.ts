// The next trial of the system on the canvas: its marks, and the actions of an agent that change it. Kept apart from the system.
import { useCallback, useMemo, useState } from 'react';
import type { Point } from '../../../graph/layout.ts';
import type { TrialMarks } from '../../../graph/trial-marks.ts';
import {
  marksOf,
  NO_TRIAL,
  stopsAt,
  toggleStop,
  WHOLE,
  type Place,
  type TrialDraft,
  type TrialScope,
} from '../../trials/model/trial-draft.ts';
import { useTrialDraft } from '../../trials/model/use-trial-draft.ts';

export interface TrialDesign {
  readonly draft: TrialDraft;
  readonly setDraft: (draft: TrialDraft) => void;
  readonly marks: TrialMarks;
  readonly stops: (node: string, at: Place) => boolean;
  readonly toggle: (node: string, at: Place) => void;
  /** The agent whose output is being pinned. */
  readonly pinning: string | undefined;
  readonly pin: (node: string | undefined) => void;
  readonly menu: { readonly node: string; readonly at: Point } | undefined;
  readonly openMenu: (node: string, at: Point) => void;
  readonly closeMenu: () => void;
  /** Part of the system in the form of the next run. */
  readonly scope: TrialScope;
  /** Opens the form of a run of this part. */
  readonly run: (part: 'only' | 'from', node: string) => void;
  /** Forgets breakpoints and pins. */
  readonly clear: () => void;
}

export interface TrialDesignOptions {
  readonly namespace: string;
  /** Empty while the system is not stored. */
  readonly system: string;
  /** The followed run, whose results a part reuses first; empty for none. */
  readonly task: string;
  readonly running: boolean;
  readonly onRunning: (open: boolean) => void;
}

export function useTrialDesign({ namespace, system, task, running, onRunning }: TrialDesignOptions): TrialDesign {
  const [draft, setDraft] = useTrialDraft(namespace, system);
  const [pinning, pin] = useState<string>();
  const [menu, setMenu] = useState<TrialDesign['menu']>();
  const [asked, setAsked] = useState<TrialScope>(WHOLE);
  // A part holds for one run: the next opening of the form begins with the whole system.
  const [opened, setOpened] = useState(running);
  if (opened !== running) {
    setOpened(running);
    if (!running) setAsked(WHOLE);
  }
  const openMenu = useCallback((node: string, at: Point) => setMenu({ node, at }), []);
  const run = useCallback(
    (part: 'only' | 'from', node: string) => {
      setAsked({ part, node, task });
      onRunning(true);
    },
    [task, onRunning],
  );
  return useMemo(
    () => ({
      draft,
      setDraft,
      marks: marksOf(draft),
      stops: (node, at) => stopsAt(draft, node, at),
      toggle: (node, at) => setDraft(toggleStop(draft, node, at)),
      pinning,
      pin,
      menu,
      openMenu,
      closeMenu: () => setMenu(undefined),
      scope: asked,
      run,
      clear: () => setDraft(NO_TRIAL),
    }),
    [draft, setDraft, pinning, menu, openMenu, asked, run],
  );
}
