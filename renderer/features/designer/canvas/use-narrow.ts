// Whether the window is too narrow for canvas and inspector side by side: a phone, or a page at twice its size.
import { useMedia } from '../../../ui/layout/use-media.ts';

export const useNarrow = (): boolean => useMedia('(max-width: 767px)');
