// Texts to start a new object from, made of what a kind's definition says of its fields. Pure.
import { API_VERSION } from '@svc/shared/resource';
import type { FieldNode } from '../kind-fields.ts';

export interface TemplateOptions {
  readonly kind: string;
  readonly name: string;
  /** Of the kind's spec. */
  readonly spec: FieldNode;
  /** What fields that refer to a kind shall hold, by kind: `{ ModelEndpoint: "team/gpt" }`. */
  readonly references?: Readonly<Record<string, string>>;
}

const COMMENT_WIDTH = 100;
const DEPTH_MAX = 3;

const EXAMPLES: Readonly<Record<string, string>> = {
  duration: '30s',
  cron: '"0 9 * * 1-5"',
  'time-zone': 'UTC',
  'date-time': '"2030-01-01T09:00:00Z"',
};

function envelope({ kind, name }: TemplateOptions): string[] {
  return [`apiVersion: ${API_VERSION}`, `kind: ${kind}`, 'metadata:', `  name: ${name}`];
}

/** Only what has to be said. A kind that asks for nothing shows its first fields instead. */
export function minimalTemplate(options: TemplateOptions): string {
  const fields = [...options.spec.children.values()];
  const required = fields.filter((field) => field.required);
  const referred = fields.filter((field) => !field.required && presetOf(field, options) !== undefined);
  const shown = required.length > 0 ? [...required, ...referred] : fields.slice(0, 3);
  if (shown.length === 0) return `${[...envelope(options), 'spec: {}'].join('\n')}\n`;
  const lines = shown.flatMap((field) => [...comment(field, '  '), ...fieldLines(field, options, { indent: '  ', depth: 0 })]);
  return `${[...envelope(options), 'spec:', ...lines].join('\n')}\n`;
}

/** Every field with its meaning; what need not be said is commented out. */
export function fullTemplate(options: TemplateOptions): string {
  const fields = [...options.spec.children.values()];
  const lines = fields.flatMap((field) => {
    const own = fieldLines(field, options, { indent: '  ', depth: 0 });
    const said = field.required || presetOf(field, options) !== undefined;
    return ['', ...comment(field, '  '), ...(said ? own : own.map((line) => `  # ${line.slice(2)}`))];
  });
  const some = fields.some((field) => field.required || presetOf(field, options) !== undefined);
  return `${[...envelope(options), '  # labels: { team: payments }', some ? 'spec:' : 'spec: # {}', ...lines].join('\n')}\n`;
}

/** The description as comment lines, with the default and the allowed values. */
function comment(field: FieldNode, indent: string): string[] {
  const parts = [
    field.description,
    ...(field.required ? ['Required.'] : []),
    ...(field.values.length > 0 ? [`One of ${field.values.join(', ')}.`] : []),
    ...(field.defaultText !== undefined ? [`Default: ${field.defaultText}.`] : []),
  ];
  return wrapped(parts.join(' ')).map((line) => `${indent}# ${line}`);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < COMMENT_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function presetOf({ format }: FieldNode, { references = {} }: TemplateOptions): string | undefined {
  const kind = format?.startsWith('ref:') === true ? format.slice(4) : undefined;
  return kind === undefined ? undefined : references[kind];
}

interface Place {
  readonly indent: string;
  readonly depth: number;
}

function fieldLines(field: FieldNode, options: TemplateOptions, { indent, depth }: Place): string[] {
  const { name, type, children } = field;
  const list = type.startsWith('[]');
  if (children.size === 0 || depth >= DEPTH_MAX) return [`${indent}${name}: ${exampleOf(field, options)}`];
  const below = (at: string) => [...children.values()].flatMap((child) => fieldLines(child, options, { indent: at, depth: depth + 1 }));
  if (list) {
    const [first = '', ...rest] = below(`${indent}    `);
    return [`${indent}${name}:`, `${indent}  - ${first.trimStart()}`, ...rest];
  }
  if (type.startsWith('map[')) return [`${indent}${name}:`, `${indent}  some-name:`, ...below(`${indent}    `)];
  return [`${indent}${name}:`, ...below(`${indent}  `)];
}

/** A value of the right type, as YAML. */
function exampleOf(field: FieldNode, options: TemplateOptions): string {
  const { type, values, defaultText, format } = field;
  const preset = presetOf(field, options);
  if (type.startsWith('[]')) return preset !== undefined ? `[${preset}]` : values[0] !== undefined ? `[${values[0]}]` : '[]';
  if (type.startsWith('map[')) return '{}';
  if (type === 'object') return '{}';
  if (preset !== undefined) return preset;
  if (type === 'boolean') return defaultText === 'true' ? 'true' : 'false';
  if (type === 'integer' || type === 'number') return /^\d+(\.\d+)?$/.exec(defaultText ?? '')?.[0] ?? '1';
  if (values.length > 0) return values.find((value) => value === defaultText) ?? values[0] ?? '""';
  if (format !== undefined && format in EXAMPLES)
    return defaultText !== undefined && /^\d+[a-z]+$/.test(defaultText) ? defaultText : (EXAMPLES[format] ?? '""');
  return '""';
}
