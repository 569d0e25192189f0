// A form and its YAML, side by side; one at a time where the window is narrow.
import { useState, type ReactNode } from 'react';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { SplitPane } from '../../../ui/layout/SplitPane.tsx';
import { useMedia } from '../../../ui/layout/use-media.ts';

export interface FormAndYamlProps {
  readonly form: ReactNode;
  readonly yaml: ReactNode;
}

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'yaml', label: 'YAML' },
] as const;

export function FormAndYaml({ form, yaml }: FormAndYamlProps) {
  const narrow = useMedia('(max-width: 1023px)');
  const [view, setView] = useState<'form' | 'yaml'>('form');
  const folded = narrow ? (view === 'form' ? 'second' : 'first') : undefined;
  return (
    <>
      {narrow && (
        <div className="px-4 py-2">
          <SegmentedControl label="Edit as" value={view} segments={VIEWS} onChange={setView} />
        </div>
      )}
      <SplitPane
        label="Width of the form"
        initial={520}
        min={320}
        rest={320}
        storageKey="create-form"
        folded={folded}
        first={form}
        second={yaml}
      />
    </>
  );
}
