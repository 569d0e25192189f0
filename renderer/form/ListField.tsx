// Entries of a list, each to edit, move and remove.
import type { Json } from '@svc/shared/json';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { Button } from '../ui/button/Button.tsx';
import { IconButton } from '../ui/button/IconButton.tsx';
import { useForm } from './form-context.ts';
import { GroupFrame } from './GroupFrame.tsx';
import { startValue } from './json-schema.ts';
import type { GroupProps } from './ObjectField.tsx';
import { useAddedPart } from './use-added-part.ts';
import { moved, withEntry, withoutEntry } from './value-at.ts';

/** Longer lists are edited as JSON, not as a form. */
const ENTRIES_SHOWN = 100;

interface EntryButtonsProps {
  readonly name: string;
  readonly index: number;
  readonly entries: readonly Json[];
  readonly onChange: (entries: Json) => void;
}

function EntryButtons({ name, index, entries, onChange }: EntryButtonsProps) {
  const list = [...entries];
  return (
    <span className="flex pt-5">
      {index > 0 && (
        <IconButton size="sm" label={`Move ${name} up`} icon={<ArrowUp />} onClick={() => onChange(moved(list, index, index - 1))} />
      )}
      {index < list.length - 1 && (
        <IconButton size="sm" label={`Move ${name} down`} icon={<ArrowDown />} onClick={() => onChange(moved(list, index, index + 1))} />
      )}
      <IconButton size="sm" label={`Remove ${name}`} icon={<X />} onClick={() => onChange(withoutEntry(list, index))} />
    </span>
  );
}

export function ListField({ part, drawing, mark }: GroupProps) {
  const { Part, root, readOnly } = useForm();
  const { control } = drawing;
  const { frame, announce } = useAddedPart();
  if (control.type !== 'list') return null;
  const { item } = control;
  const entries = Array.isArray(part.value) ? (part.value as readonly Json[]) : [];
  const { onChange, path } = part;
  const name = drawing.words ?? part.name;
  const add = () => {
    announce(entries.length);
    onChange([...entries, startValue(item, root)]);
  };
  const actions = !readOnly && (
    <>
      <Button size="sm" variant="ghost" icon={<Plus />} onClick={add}>
        Add an entry
      </Button>
      {!part.required && part.value !== undefined && path.length > 0 && (
        <Button size="sm" variant="ghost" icon={<X />} onClick={() => onChange(undefined)}>
          Remove {name}
        </Button>
      )}
    </>
  );
  return (
    <GroupFrame part={part} drawing={drawing} mark={mark} actions={actions}>
      {entries.length === 0 && <p className="text-sm text-muted">No entries.</p>}
      <div ref={frame} className="contents">
        {entries.slice(0, ENTRIES_SHOWN).map((entry, index) => (
          <div key={index} data-part={index} className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <Part
                schema={item}
                value={entry}
                onChange={(next) => onChange(withEntry(part.value, index, next ?? startValue(item, root)))}
                path={[...path, index]}
                name={`${name} ${index + 1}`}
                required
              />
            </div>
            {!readOnly && <EntryButtons name={`${name} ${index + 1}`} index={index} entries={entries} onChange={onChange} />}
          </div>
        ))}
      </div>
      {entries.length > ENTRIES_SHOWN && (
        <p className="text-sm text-muted">{entries.length - ENTRIES_SHOWN} more entries are not drawn. Switch to JSON to edit them.</p>
      )}
    </GroupFrame>
  );
}
