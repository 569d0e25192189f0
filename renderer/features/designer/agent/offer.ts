// Something of the catalogue that is dropped on an agent, or given to it by a press: a tool, a model, or a template of one. Pure.
import { createContext } from 'react';

export type CatalogueItem =
  { readonly kind: 'tool' | 'model'; readonly ref: string } | { readonly kind: 'tool-template' | 'vendor'; readonly id: string };

export interface Offer {
  readonly agent: string;
  readonly item: CatalogueItem;
}

/** The side form of the agent takes it; the picker that a template opens waits for its fields. */
export interface Offering {
  readonly offer: Offer | undefined;
  readonly taken: () => void;
}

export const OfferContext = createContext<Offering>({ offer: undefined, taken: () => undefined });

/** Media type of a dragged item. */
export const CATALOGUE_DRAG = 'application/x-svc-catalogue';

const KINDS: readonly string[] = ['tool', 'model', 'tool-template', 'vendor'];

export function itemText(item: CatalogueItem): string {
  return `${item.kind} ${'ref' in item ? item.ref : item.id}`;
}

/** The item of a drag, which another page may have begun. */
export function itemOf(text: string): CatalogueItem | undefined {
  const [kind = '', name = ''] = text.split(' ');
  if (!KINDS.includes(kind) || name === '') return undefined;
  return kind === 'tool' || kind === 'model' ? { kind, ref: name } : ({ kind, id: name } as CatalogueItem);
}
