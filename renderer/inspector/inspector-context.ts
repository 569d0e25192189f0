// Interface with which screens open the inspector. The shell provides it; without a shell a link goes to the page of its object.
import { createContext, useContext } from 'react';
import type { ObjectRef } from '../navigation/addresses.ts';
import type { Peek, PeekTab } from './peek.ts';

interface OpenOptions {
  readonly tab?: PeekTab;
  /** Set to false, the focus stays in the list, whose arrow keys keep working. */
  readonly focus?: boolean;
}

/** Stable: opening and closing do not change it. */
export interface InspectorControls {
  readonly open: (object: ObjectRef, options?: OpenOptions) => void;
  readonly close: () => void;
  /** Focused element when the inspector was last opened. */
  readonly opener: () => Element | null;
}

export interface InspectorState {
  readonly peek: Peek | undefined;
  /** The inspector takes the focus. */
  readonly focus: boolean;
}

export const InspectorControlsContext = createContext<InspectorControls | undefined>(undefined);
export const InspectorStateContext = createContext<InspectorState>({ peek: undefined, focus: false });

export function useInspector(): InspectorControls | undefined {
  return useContext(InspectorControlsContext);
}

export function useInspected(): InspectorState {
  return useContext(InspectorStateContext);
}
