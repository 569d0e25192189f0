// Views of a list: shared ones, personal ones, and saving the current filters as a new one.
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../button/Button.tsx';
import { cn } from '../cn.ts';
import { Field } from '../input/Field.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { Input } from '../input/Input.tsx';
import { Popover } from '../overlay/Popover.tsx';
import { Form } from '../input/Form.tsx';

/** A set of filters by name. */
export interface View {
  readonly id: string;
  readonly name: string;
}

export interface ViewsButtonProps<V extends View> {
  readonly shared: readonly V[];
  readonly mine: readonly V[];
  /** The view that matches the list; undefined: none does, and the filters can be saved. */
  readonly current: V | undefined;
  readonly onChoose: (view: V) => void;
  readonly onSave: (name: string) => void;
  readonly onRemove: (view: V) => void;
}

const NAME_MAX_CHARS = 60;

export function ViewsButton<V extends View>({ shared, mine, current, onChoose, onSave, onRemove }: ViewsButtonProps<V>) {
  const [open, setOpen] = useState(false);
  const choose = (view: V) => {
    onChoose(view);
    setOpen(false);
  };
  return (
    <Popover
      label="Views"
      open={open}
      onOpenChange={setOpen}
      className="w-72 p-2"
      trigger={<Button icon={<Bookmark />}>{current?.name ?? 'Own filters'}</Button>}
    >
      <ViewList label="Everybody's" views={shared} current={current} onChoose={choose} />
      {mine.length > 0 && <ViewList label="Mine" views={mine} current={current} onChoose={choose} onRemove={onRemove} />}
      {current === undefined && <SaveView taken={mine} onSave={onSave} />}
    </Popover>
  );
}

interface ViewListProps<V extends View> {
  readonly label: string;
  readonly views: readonly V[];
  readonly current: V | undefined;
  readonly onChoose: (view: V) => void;
  readonly onRemove?: (view: V) => void;
}

function ViewList<V extends View>({ label, views, current, onChoose, onRemove }: ViewListProps<V>) {
  return (
    <section aria-label={label} className="mb-1">
      <h3 className="px-2 pt-1 pb-1 text-xs font-medium text-faint">{label}</h3>
      <ul>
        {views.map((view) => (
          <li key={view.id} className="flex items-center">
            <button
              type="button"
              aria-current={view.id === current?.id || undefined}
              onClick={() => onChoose(view)}
              className={cn(
                'h-7 min-w-0 flex-1 truncate rounded-md px-2 text-left text-base hover:bg-hover',
                view.id === current?.id && 'bg-selected font-medium',
              )}
            >
              {view.name}
            </button>
            {onRemove && <IconButton size="sm" label={`Delete the view ${view.name}`} icon={<Trash2 />} onClick={() => onRemove(view)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function SaveView({ taken, onSave }: { readonly taken: readonly View[]; readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const given = name.trim();
  const submit = () => {
    if (given !== '') onSave(given);
  };
  return (
    <Form onSubmit={submit} className="mt-1 flex items-end gap-2 border-t border-border px-2 pt-2 pb-1">
      <Field label="Save filters as" className="flex-1">
        <Input value={name} maxLength={NAME_MAX_CHARS} placeholder="Name of the view" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button type="submit" variant="primary" disabled={given === ''}>
        {taken.some((view) => view.name === given) ? 'Replace' : 'Save'}
      </Button>
    </Form>
  );
}
