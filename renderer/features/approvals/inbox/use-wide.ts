// Whether there is room for the queue beside what is open.
import { useMedia } from '../../../ui/use-media.ts';

export const useWide = (): boolean => useMedia('(min-width: 768px)');
