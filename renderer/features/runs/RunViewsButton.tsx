// The views of the run list: everybody's, one's own, and keeping what is shown as a new one.
import { Bookmark, Trash2 } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cn } from '../../ui/cn.ts';
import { Field } from '../../ui/Field.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';
import { Popover } from '../../ui/Popover.tsx';
import type { RunListState } from './run-list-input.ts';
import { filtersOf, SYSTEM_VIEWS, viewOf, type RunFilters, type RunView } from './run-views.ts';
import { useRunViews } from './use-run-preferences.ts';

export interface RunViewsButtonProps {
  readonly state: RunListState;
  readonly onChoose: (filters: RunFilters) => void;
}

const NAME_MAX_CHARS = 60;

export function RunViewsButton({ state, onChoose }: RunViewsButtonProps) {
  const [open, setOpen] = useState(false);
  const { views, save, remove } = useRunViews();
  const current = viewOf(state, [...SYSTEM_VIEWS, ...views]);
  const choose = (view: RunView) => {
    onChoose(view.filters);
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
      <ViewList label="Everybody's" views={SYSTEM_VIEWS} current={current} onChoose={choose} />
      {views.length > 0 && <ViewList label="Mine" views={views} current={current} onChoose={choose} onRemove={remove} />}
      {current === undefined && <SaveView taken={views} onSave={(name) => save({ name, filters: filtersOf(state) })} />}
    </Popover>
  );
}

interface ViewListProps {
  readonly label: string;
  readonly views: readonly RunView[];
  readonly current: RunView | undefined;
  readonly onChoose: (view: RunView) => void;
  readonly onRemove?: (view: RunView) => void;
}

function ViewList({ label, views, current, onChoose, onRemove }: ViewListProps) {
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

function SaveView({ taken, onSave }: { readonly taken: readonly RunView[]; readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const given = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (given !== '') onSave(given);
  };
  return (
    <form onSubmit={submit} className="mt-1 flex items-end gap-2 border-t border-border px-2 pt-2 pb-1">
      <Field label="Keep these filters as" className="flex-1">
        <Input value={name} maxLength={NAME_MAX_CHARS} placeholder="Name of the view" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button type="submit" variant="primary" disabled={given === ''}>
        {taken.some((view) => view.name === given) ? 'Replace' : 'Save'}
      </Button>
    </form>
  );
}
