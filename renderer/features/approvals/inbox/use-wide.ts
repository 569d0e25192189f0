// Whether there is room for the queue beside the open item.
import { useMedia } from '../../../ui/use-media.ts';

export const useWide = (): boolean => useMedia('(min-width: 768px)');
