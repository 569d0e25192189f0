// Fields of an object: those of its schema, and all others in the value, so that none is hidden.
import { isObject, type Json } from '@svc/shared/json';
import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../ui/button/Button.tsx';
import { Input } from '../ui/input/Input.tsx';
import { useForm, type PartProps } from './form-context.ts';
import { useAddedPart } from './use-added-part.ts';
import { GroupFrame } from './GroupFrame.tsx';
import { WORDS, drawingOf, startValue, type Drawing, type JsonSchema, type ObjectField as FieldOfObject } from './json-schema.ts';
import { withKey } from './value-at.ts';

export interface GroupProps {
  readonly part: PartProps;
  readonly drawing: Drawing;
  readonly mark: ReactNode;
}

/** Adds a field outside of the schema. */
function AddOther({ taken, onAdd }: { readonly taken: readonly string[]; readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const open = name !== undefined;
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (name === undefined)
    return (
      <Button size="sm" variant="ghost" icon={<Plus />} onClick={() => setName('')}>
        Add a field
      </Button>
    );
  const fault = name.trim() === '' ? 'Write a name first' : taken.includes(name) ? 'This field exists already' : undefined;
  const add = () => {
    if (fault !== undefined) return;
    onAdd(name);
    setName(undefined);
  };
  return (
    <span className="flex items-center gap-2">
      <Input
        mono
        ref={field}
        aria-label="Name of the new field"
        className="w-48"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
          if (event.key === 'Enter') add();
          if (event.key === 'Escape') setName(undefined);
        }}
      />
      <Button size="sm" onClick={add} disabledReason={fault}>
        Add
      </Button>
    </span>
  );
}

/** Whether an absent field is offered by a button only: an empty group would suggest that it is present. */
function isOfferedByButton(schema: JsonSchema, root: JsonSchema): boolean {
  const { type } = drawingOf(schema, undefined, root).control;
  return type === 'object' || type === 'list' || type === 'choice' || type === 'json';
}

function asJson(schema: JsonSchema, root: JsonSchema): boolean {
  return drawingOf(schema, undefined, root).control.type === 'json';
}

function useParts({ part, drawing }: GroupProps) {
  const { root } = useForm();
  const value = isObject(part.value) ? (part.value as Readonly<Record<string, Json>>) : {};
  const { fields, others } = drawing.control as Extract<Drawing['control'], { type: 'object' }>;
  const known = new Set(fields.map((field) => field.name));
  const extra = Object.keys(value).filter((name) => !known.has(name));
  const absent = (field: FieldOfObject) => !Object.hasOwn(value, field.name) && !field.required && isOfferedByButton(field.schema, root);
  return { value, others, extra, shown: fields.filter((field) => !absent(field)), offered: fields.filter(absent) };
}

export function ObjectField(props: GroupProps) {
  const { part, drawing, mark } = props;
  const { Part, root, readOnly } = useForm();
  const { value, others, extra, shown, offered } = useParts(props);
  const { frame, announce } = useAddedPart();
  const set = (name: string, next: Json | undefined) => part.onChange(withKey(part.value, name, next));
  const add = (name: string, schema: JsonSchema) => {
    announce(name);
    set(name, startValue(schema, root));
  };
  const removable = !part.required && part.path.length > 0 && part.value !== undefined;
  const actions = !readOnly && (
    <>
      {offered.map(({ name, schema }) => (
        <Button key={name} size="sm" variant="ghost" icon={<Plus />} onClick={() => add(name, schema)}>
          Add {schema[WORDS] ?? name}
        </Button>
      ))}
      {others !== undefined && (
        <AddOther taken={[...Object.keys(value), ...shown.map(({ name }) => name)]} onAdd={(name) => add(name, others)} />
      )}
      {removable && (
        <Button size="sm" variant="ghost" icon={<X />} onClick={() => part.onChange(undefined)}>
          Remove {drawing.words ?? part.name}
        </Button>
      )}
    </>
  );
  return (
    <GroupFrame part={part} drawing={drawing} mark={mark} actions={actions}>
      <div ref={frame} className="contents">
        {shown.map(({ name, schema, required }) => (
          <div key={name} data-part={name} className="contents">
            <Part
              schema={schema}
              value={Object.hasOwn(value, name) ? value[name] : undefined}
              onChange={(next) => set(name, next)}
              path={[...part.path, name]}
              name={name}
              required={required}
              onRemove={!required && asJson(schema, root) ? () => set(name, undefined) : undefined}
            />
          </div>
        ))}
        {extra.map((name) => (
          <div key={`other ${name}`} data-part={name} className="contents">
            <Part
              schema={others ?? {}}
              value={value[name]}
              onChange={(next) => set(name, next)}
              path={[...part.path, name]}
              name={name}
              required
              onRemove={() => set(name, undefined)}
            />
          </div>
        ))}
      </div>
      {shown.length + extra.length + offered.length === 0 && others === undefined && part.path.length === 0 && (
        <p className="text-sm text-muted">No fields.</p>
      )}
    </GroupFrame>
  );
}
