// The system as a whole, while nothing on the canvas is selected.
import { isObject } from '@svc/shared/json';
import { nameProblem } from '@svc/shared/resource';
import { Repeat2 } from 'lucide-react';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { Kbd } from '../../../ui/text/Kbd.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { editedText } from '../../../yaml/edit-document.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { ReviewEditor } from './ReviewEditor.tsx';
import { useKeysOf } from '../canvas/ShortcutKbd.tsx';
import type { Design } from '../document/use-design.ts';

export interface SystemInspectorProps {
  readonly name: string;
  readonly design: Design;
  readonly readOnly: boolean;
  /** It has no name yet, so the name can be set. */
  readonly isNew: boolean;
}

const DESCRIPTION = 'svc.dev/description';

/** A shortcut by its id, whose keys people may have changed; or a chord that is the browser's everywhere. */
type KeyRow = readonly [id: string | undefined, keys: string, words: string];

const EDITING_KEYS: readonly KeyRow[] = [
  ['designer.add', 'a', 'Add an agent'],
  ['designer.connect', 'c', 'Connect the selected agent'],
  ['designer.remove', 'Delete', 'Remove selection'],
  [undefined, 'mod+z', 'Undo'],
  [undefined, 'mod+shift+z', 'Redo'],
  [undefined, 'mod+v', 'Paste'],
  [undefined, 'mod+d', 'Duplicate with connections'],
  ['designer.tidy', 'alt+shift+t', 'Tidy up'],
];

const READING_KEYS: readonly KeyRow[] = [
  [undefined, 'mod+c', 'Copy as YAML'],
  ['designer.find', '/', 'Find an agent'],
  ['designer.fit', 'f', 'Fit'],
  ['designer.actual', '1', 'Actual size'],
];

function Keys({ readOnly }: { readonly readOnly: boolean }) {
  const keysOf = useKeysOf();
  const rows = [...(readOnly ? [] : EDITING_KEYS), ...READING_KEYS].flatMap(([id, usual, words]) => {
    const keys = id === undefined ? usual : keysOf({ id, keys: usual });
    return keys === undefined ? [] : [{ keys, words }];
  });
  return (
    <section aria-label="Keys of the canvas">
      <h3 className="mb-1.5 text-sm font-medium">Keys</h3>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 text-sm text-muted">
        {rows.map(({ keys, words }) => (
          <div key={words} className="contents">
            <dt>
              <Kbd keys={keys} />
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const NAMED_MAX = 6;

function few(names: readonly string[]): string {
  if (names.length === 0) return '–';
  const rest = names.length - NAMED_MAX;
  return rest > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${rest} more` : names.join(', ');
}

function About({ design, readOnly, isNew }: Omit<SystemInspectorProps, 'name'>) {
  const metadata = isObject(design.value['metadata']) ? design.value['metadata'] : {};
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const set = (label: string, path: YamlPath, value: string) =>
    design.run(
      label,
      (before) => editedText(before, value === '' && path.length > 2 ? { op: 'delete', path } : { op: 'set', path, value }),
      label,
    );
  const name = text(metadata['name']);
  return (
    <>
      {isNew && (
        <Field label="Name" required error={nameProblem(name)}>
          <Input
            mono
            disabled={readOnly}
            value={name}
            onChange={(event) => set('Name the system', ['metadata', 'name'], event.target.value)}
          />
        </Field>
      )}
      <Field label="Description">
        <Textarea
          rows={2}
          disabled={readOnly}
          value={text(annotations[DESCRIPTION])}
          onChange={(event) => set('Describe the system', ['metadata', 'annotations', DESCRIPTION], event.target.value)}
        />
      </Field>
    </>
  );
}

export function SystemInspector({ name, design, readOnly, isNew }: SystemInspectorProps) {
  const { model, system } = design;
  const entries = model.nodes.filter(({ entry }) => entry).map(({ id }) => id);
  const ends = model.nodes.filter(({ terminal }) => terminal).map(({ id }) => id);
  return (
    <div className="flex flex-col gap-4 p-4">
      <header>
        <p className="text-sm text-muted">Agent system</p>
        <h2 className="text-md font-semibold [overflow-wrap:anywhere]">{name === '' ? 'New system' : name}</h2>
      </header>
      <About design={design} readOnly={readOnly} isNew={isNew} />
      <DescriptionList
        items={[
          { term: 'Agents', detail: system.agents.length },
          {
            term: 'Connections',
            detail: system.graph === undefined && model.edges.length > 0 ? `${model.edges.length}, in list order` : model.edges.length,
          },
          { term: 'Starts with', detail: few(entries) },
          { term: 'Ends with', detail: few(ends) },
        ]}
      />
      {model.cycle && (
        <Banner tone="warn" icon={<Repeat2 />} className="rounded-md">
          {[...model.cycle, model.cycle[0]].join(' → ')} is a loop. Its limit, max_turns, is a field of each Task that runs the system, and
          of the Run dialog.
        </Banner>
      )}
      <ReviewEditor design={design} readOnly={readOnly} />
      <Keys readOnly={readOnly} />
    </div>
  );
}
