// Marks an edited field, and reverts the edit.
import { RotateCcw } from 'lucide-react';
import { Badge } from '../ui/status/Badge.tsx';
import { IconButton } from '../ui/button/IconButton.tsx';
import { useForm, type PartProps } from './form-context.ts';
import { jsonEquals, type Json } from '@svc/shared/json';
import type { YamlPath } from '../yaml/path-text.ts';
import { valueAt } from './value-at.ts';

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

interface Edited {
  readonly edited: boolean;
  readonly original: Json | undefined;
}

/** Whether a part of a value differs from the original, and its reset. */
export function useEdited(path: YamlPath, value: Json | undefined): Edited {
  const { original } = useForm();
  if (!original) return { edited: false, original: undefined };
  const before = valueAt(original.value, path);
  const same = before === undefined || value === undefined ? before === value : jsonEquals(before, value);
  return { edited: !same, original: before };
}
