// A panel of the page itself at its right. While the inspector is open it is hidden, with its content unchanged.
import { SidePanel, type SidePanelProps } from '../ui/overlay/SidePanel.tsx';
import { useCovered } from './covered.ts';

export interface PagePanelProps extends Omit<SidePanelProps, 'covered'> {
  readonly 'aria-label': string;
}

export function PagePanel(props: PagePanelProps) {
  return <SidePanel {...props} covered={useCovered()} />;
}
