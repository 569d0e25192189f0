// The reference pages of the kinds: one per kind and their index, all from the definitions that the server validates with.
import { sortNames, type KindDefinition } from '@svc/shared/kinds/define';
import { kindByName, kinds } from '@svc/shared/kinds';
import { kindFields, type Field } from '@svc/shared/kinds/kind-fields';
import { stringify } from 'yaml';
import { kindExample } from '../http/openapi/kind-example.ts';
import { code, codeBlock, codeList, GENERATED_NOTICE, page, prose, table } from './markdown.ts';

const REFERENCE_FORMAT = 'ref:';

interface PlacedField extends Field {
  /** `spec.graph.*.edges[].to`. */
  readonly path: string;
}

/** `[]` stands for each item of a list and `*` for each key of a map. */
const below = (path: string, { type }: Field): string => (type === 'list' ? `${path}[]` : type === 'map' ? `${path}.*` : path);

/** The field and everything under it, in the order of the definition. */
function withDescendants(field: Field, path: string): PlacedField[] {
  const inner = below(path, field);
  return [{ ...field, path }, ...[...field.children.values()].flatMap((child) => withDescendants(child, `${inner}.${child.name}`))];
}

/** Every field under `spec` or `status`, without the two themselves. */
function fieldsOf(kind: KindDefinition, root: 'spec' | 'status'): PlacedField[] {
  return kindFields(kind)
    .filter((field) => field.name === root)
    .flatMap((field) => withDescendants(field, root).slice(1));
}

const referred = (field: Field): KindDefinition | undefined =>
  field.format?.startsWith(REFERENCE_FORMAT) ? kindByName(field.format.slice(REFERENCE_FORMAT.length)) : undefined;

const linkTo = (kind: KindDefinition): string => `[${kind.kind}](${kind.plural}.md)`;

function typeCell(field: Field): string {
  const kind = referred(field);
  if (kind) return `${code(field.typeText)}, names ${linkTo(kind)}`;
  return field.format === undefined ? code(field.typeText) : `${code(field.typeText)}, ${field.format}`;
}

function fieldTable(fields: readonly PlacedField[]): string {
  return table(
    ['Field', 'Type', 'Required', 'Default', 'Values', 'Meaning'],
    fields.map((field) => [
      code(field.path),
      typeCell(field),
      field.required ? 'yes' : '',
      code(field.defaultText ?? ''),
      codeList(field.values),
      prose(field.description),
    ]),
  );
}

function facts(kind: KindDefinition): string {
  const rows = [
    ['API version', '`svc.dev/v1`'],
    ['Path', code(`/v1/${kind.plural}`)],
    ['Names in svcctl', codeList([...new Set([kind.plural, ...kind.shortNames])])],
    ['Phases', codeList(kind.phases)],
    ['First phase', code(kind.initialPhase)],
    ['Field selectors', codeList(kind.fieldSelectors)],
    ['Orders of lists', codeList(sortNames(kind).filter((name) => !name.startsWith('-')))],
    ['Left out of lists', codeList(kind.heavyStatusFields.map((field) => `status.${field}`))],
  ];
  return table(
    ['', ''],
    rows.filter(([, value]) => value !== ''),
  );
}

function actionBlocks(kind: KindDefinition): string[] {
  if (kind.actions.length === 0) return [];
  const rows = kind.actions.map(({ action, from }) => [code(action), codeList(from)]);
  return ['## Actions', 'What may be done with an object depends on its phase.', table(['Action', 'Allowed while the phase is'], rows)];
}

function referenceBlocks(kind: KindDefinition): string[] {
  const outgoing = fieldsOf(kind, 'spec').flatMap((field) => {
    const target = referred(field);
    return target ? [[code(field.path), linkTo(target)]] : [];
  });
  const incoming = kinds.flatMap((other) =>
    fieldsOf(other, 'spec')
      .filter((field) => referred(field) === kind)
      .map((field) => [linkTo(other), code(field.path)]),
  );
  if (outgoing.length + incoming.length === 0) return [];
  return ['## References', table(['Field', 'Names an object of kind'], outgoing), table(['Named by', 'in the field'], incoming)];
}

export function kindPage(kind: KindDefinition): string {
  const status = fieldsOf(kind, 'status');
  return page([
    GENERATED_NOTICE,
    `# ${kind.kind}`,
    prose(kind.description),
    facts(kind),
    '## Example',
    'A small manifest that the server accepts:',
    codeBlock('yaml', stringify(kindExample(kind))),
    '## Spec',
    'What is not required may be left out; a required field below an optional object applies when that object is present. `[]` stands for each item of a list, `*` for each key of a map.',
    fieldTable(fieldsOf(kind, 'spec')),
    '## Status',
    'Written by the service.',
    fieldTable(status),
    ...actionBlocks(kind),
    ...referenceBlocks(kind),
  ]);
}

export function kindIndexPage(): string {
  return page([
    GENERATED_NOTICE,
    '# Kinds',
    'Every resource has `apiVersion` (`svc.dev/v1`), `kind`, `metadata`, `spec` and `status`. The kinds are in the order in which objects that depend on each other can be applied.',
    table(
      ['Kind', 'Path', 'Names in svcctl', 'What it is'],
      kinds.map((kind) => [
        linkTo(kind),
        code(`/v1/${kind.plural}`),
        codeList([...new Set([kind.plural, ...kind.shortNames])]),
        prose(kind.description),
      ]),
    ),
    '## Metadata',
    table(
      ['Field', 'Who sets it', 'Meaning'],
      [
        ['`name`', 'client', '1 to 253 letters, digits, `.`, `_` or `-`, beginning and ending with a letter or digit. Required.'],
        ['`namespace`', 'client', '1 to 63 lower-case letters, digits or `-`. Default `default`.'],
        ['`labels`, `annotations`', 'client', 'Texts by key. Selectors look at labels.'],
        ['`uid`', 'service', 'Identifies this object among all that ever had its name.'],
        ['`resourceVersion`', 'service', '`1` on create and one more on each write; preconditions compare it.'],
        ['`generation`', 'service', 'One more on each change of the spec.'],
        ['`createdAt`, `updatedAt`', 'service', 'RFC 3339, UTC.'],
        [
          '`createdBy`, `updatedBy`',
          'service',
          'Identity that created the object, and of its last write; `system:<part>` is a part of the service.',
        ],
      ],
    ),
  ]);
}
