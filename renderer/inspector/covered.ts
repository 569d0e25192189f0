// The place at the right of the page, which holds one panel. The inspector replaces the page's own panel until it closes.
import { useMedia } from '../ui/layout/use-media.ts';
import { useInspected } from './inspector-context.ts';

/** Width from which a page stays usable beside a panel: Tailwind's `md`. Below it the inspector covers the page. */
const BESIDE = '(min-width: 48rem)';

export const useBeside = (): boolean => useMedia(BESIDE);

/** Whether the inspector has the place of the page's own panel, which then stays mounted without being visible. */
export function useCovered(): boolean {
  const { peek } = useInspected();
  return useBeside() && peek !== undefined;
}
