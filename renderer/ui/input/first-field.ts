// The first field of a part of a page, for the focus.

/** Undefined without a field; fields that assistive technology does not see are skipped. */
export const firstField = (part: Element | null | undefined): HTMLElement | undefined =>
  part?.querySelector<HTMLElement>('input:not([aria-hidden]), textarea, select') ?? undefined;
