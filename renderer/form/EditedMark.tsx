// Marks an edited field, and reverts the edit.
import { RotateCcw } from 'lucide-react';
import { Badge } from '../ui/Badge.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { useForm, type PartProps } from './form-context.ts';
import { useEdited } from './use-edited.ts';

export function EditedMark({ path, value, name, onChange }: Pick<PartProps, 'path' | 'value' | 'name' | 'onChange'>) {
  const { readOnly } = useForm();
  const { edited, original } = useEdited(path, value);
  if (!edited) return null;
  return (
    <span className="inline-flex items-center gap-1">
      <Badge tone="info">{original === undefined ? 'added' : 'edited'}</Badge>
      {!readOnly && <IconButton size="sm" label={`Reset ${name}`} icon={<RotateCcw />} onClick={() => onChange(original)} />}
    </span>
  );
}
