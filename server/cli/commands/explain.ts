// `svcctl explain` and `svcctl api-resources`: the kinds and their fields, from the definitions the server validates with.
import { kinds } from '@svc/shared/kinds';
import type { CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { nearestWord } from '@svc/shared/nearest-word';
import { kindFromWord } from '../arguments/kind-arguments.ts';
import { fieldAt, kindFields, type Field } from '@svc/shared/kinds/kind-fields';
import { fieldLines } from '../output/table.ts';
import { wrapped } from '../output/text-width.ts';

const WIDTH_MAX = 100;

export const setupExplain: CommandSetup = (command, run) => {
  command
    .argument('<kind>', 'a kind, or a field of it such as agent.spec.limits or agent.limits')
    .option('-r, --recursive', 'all fields at every depth')
    .action((word, options) => run((invocation) => explain(invocation, word, options.recursive === true)));
};

export const setupApiResources: CommandSetup = (command, run) => {
  command.action(() => run(apiResources));
};

async function apiResources(invocation: Invocation): Promise<void> {
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  if (format === 'name') return invocation.out(...kinds.map((kind) => kind.plural));
  if (format === 'json') {
    return invocation.out(
      JSON.stringify(
        kinds.map(({ kind, plural, shortNames, description, phases }) => ({ kind, plural, shortNames, description, phases })),
        null,
        2,
      ),
    );
  }
  const rows = kinds.map((kind) => [kind.plural, kind.shortNames.join(','), kind.kind, ...(format === 'wide' ? [kind.description] : [])]);
  const header = ['NAME', 'SHORT NAMES', 'KIND', ...(format === 'wide' ? ['DESCRIPTION'] : [])];
  invocation.table(header, rows, { wide: format === 'wide', drop: [] });
}

function fieldFacts(field: Field): string[] {
  return [
    field.defaultText === undefined ? '' : `default ${field.defaultText}`,
    field.values.length === 0 ? '' : `one of ${field.values.join(', ')}`,
    field.format === undefined ? '' : field.format.startsWith('ref:') ? `names ${withArticle(field.format.slice(4))}` : field.format,
  ].filter((fact) => fact !== '');
}

function listing(invocation: Invocation, fields: Iterable<Field>, options: { recursive: boolean; indent: string }): string[] {
  const { style, terminal } = invocation;
  const width = Math.min(WIDTH_MAX, terminal.stdout.columns ?? WIDTH_MAX) - options.indent.length - 4;
  return [...fields].flatMap((field) => {
    const head = `${options.indent}${style.bold(field.name)}  ${style.accent(field.typeText)}${field.required ? `  ${style.warn('required')}` : ''}`;
    const facts = fieldFacts(field);
    const text = [field.description, facts.length > 0 ? `(${facts.join('; ')})` : ''].filter((part) => part !== '').join(' ');
    const below = options.recursive ? listing(invocation, field.children.values(), { ...options, indent: `${options.indent}  ` }) : [];
    return [head, ...wrapped(text, width).map((line) => `${options.indent}    ${line}`), ...below];
  });
}

async function explain(invocation: Invocation, word: string, recursive: boolean): Promise<void> {
  if (word.includes('/')) throw usageError(`"${word}" is not a kind`, (svcctl) => `for an object: "${svcctl} describe ${word}"`);
  const [kindWord = '', ...path] = word.split('.');
  const kind = kindFromWord(kindWord);
  const roots = kindFields(kind);
  const places = [path, ...roots.map(({ name }) => [name, ...path])];
  const place = path.length === 0 ? undefined : places.find((each) => fieldAt(roots, each));
  const field = place && fieldAt(roots, place);
  if (path.length > 0 && !field) {
    const known = places.flatMap((each) => [...(fieldAt(roots, each.slice(0, -1))?.children.keys() ?? [])]);
    const near = nearestWord(path.at(-1) ?? '', path.length === 1 ? [...roots.map(({ name }) => name), ...known] : known);
    throw usageError(
      `${kind.kind} has no field ${path.join('.')}`,
      near ? `did you mean "${near}"?` : (svcctl) => `see "${svcctl} explain ${kindWord}"`,
    );
  }
  const width = Math.min(WIDTH_MAX, invocation.terminal.stdout.columns ?? WIDTH_MAX);
  const head: [string, string][] = [
    ['Kind', kind.kind],
    ['API version', 'svc.dev/v1'],
    ['Path', `/v1/${kind.plural}`],
  ];
  if (!field) {
    const phases: [string, string][] = [
      ['Phases', kind.phases.join(', ')],
      ['Short names', kind.shortNames.join(', ') || '-'],
    ];
    invocation.out(
      ...fieldLines([...head, ...phases]),
      '',
      ...wrapped(kind.description, width),
      '',
      'Fields:',
      ...listing(
        invocation,
        roots.flatMap((root) => expanded(root)),
        { recursive, indent: '  ' },
      ),
    );
    return;
  }
  const facts = fieldFacts(field);
  invocation.out(
    ...fieldLines([...head.slice(0, 1), ['Field', `${(place ?? path).join('.')}  ${field.typeText}${field.required ? '  required' : ''}`]]),
    '',
    ...wrapped(field.description || 'No description.', width),
    ...facts.map((fact) => `  ${fact}`),
  );
  if (field.children.size > 0) invocation.out('', 'Fields:', ...listing(invocation, field.children.values(), { recursive, indent: '  ' }));
}

/** At the top, `spec` and `status` are shown with their fields: `spec.model_ref`. */
function expanded(root: Field): Field[] {
  return [...root.children.values()].map((child) => ({ ...child, name: `${root.name}.${child.name}` }));
}

const withArticle = (kind: string): string => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
