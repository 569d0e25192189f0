// Texts to start a new object from, generated from the fields of a kind's definition. Pure.
import { API_VERSION } from '@svc/shared/resource';
import type { Field } from '@svc/shared/kinds/kind-fields';

export interface TemplateOptions {
  readonly kind: string;
  readonly name: string;
  /** Schema of the kind's spec. */
  readonly spec: Field;
  /** Values for fields that refer to a kind, by kind: `{ ModelEndpoint: "team/gpt" }`. */
  readonly references?: Readonly<Record<string, string>>;
  /** Paths below spec that the kind's rules require besides the fields that are always required: `auth.secretRef`. */
  readonly extraPaths?: readonly string[];
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

/** Required fields only. A kind without any shows its first fields instead. */
export function minimalTemplate(options: TemplateOptions): string {
  const fields = [...options.spec.children.values()];
  const required = fields.filter((field) => field.required);
  const begun = required.length > 0 ? required : fields.slice(0, 3);
  const shown = fields.filter((field) => begun.includes(field) || isIncluded(field, options));
  if (shown.length === 0) return `${[...envelope(options), 'spec: {}'].join('\n')}\n`;
  const lines = shown.flatMap((field) => [...comment(field), ...fieldLines(field, { ...options, rest: 'left out' }, topOf(field))]);
  return `${[...envelope(options), 'spec:', ...lines].join('\n')}\n`;
}

/** Every field with its meaning; optional ones are commented out. */
export function fullTemplate(options: TemplateOptions): string {
  const fields = [...options.spec.children.values()];
  const lines = fields.flatMap((field) => {
    const own = fieldLines(field, { ...options, rest: 'commented' }, topOf(field));
    return ['', ...comment(field), ...(isIncluded(field, options) ? own : commented(own, '  '))];
  });
  const some = fields.some((field) => isIncluded(field, options));
  return `${[...envelope(options), '  # labels: { team: payments }', some ? 'spec:' : 'spec: # {}', ...lines].join('\n')}\n`;
}

const ASKED_ROUNDS = 3;

/** Paths that the kind's rules require in the minimal object, such as a key for a provider that takes one. `faultsOf` validates a text. */
export function requiredPaths(
  options: TemplateOptions,
  faultsOf: (text: string) => readonly { readonly path: string }[],
): readonly string[] {
  let extraPaths: readonly string[] = [];
  for (let round = 0; round < ASKED_ROUNDS; round += 1) {
    const paths = faultsOf(minimalTemplate({ ...options, extraPaths })).map(({ path }) => path.replace(/^spec\./, ''));
    const fresh = [...new Set(paths)].filter((path) => !extraPaths.includes(path));
    if (fresh.length === 0) break;
    extraPaths = [...extraPaths, ...fresh];
  }
  return extraPaths;
}

const commented = (lines: readonly string[], indent: string) => lines.map((line) => `${indent}# ${line.slice(indent.length)}`);

const topOf = ({ name }: Field): Place => ({ indent: '  ', depth: 0, path: name });

/** Whether a field below the path is required. */
const isRequiredBelow = (path: string, { extraPaths = [] }: TemplateOptions) => extraPaths.some((each) => each.startsWith(`${path}.`));

/** Whether a field of the spec is required, or one of the given references. */
function isIncluded(field: Field, options: TemplateOptions): boolean {
  const isExtra = options.extraPaths?.includes(field.name) === true || isRequiredBelow(field.name, options);
  return field.required || isExtra || presetOf(field, options) !== undefined;
}

/** The description as comment lines, with the default and the allowed values. */
function comment(field: Field): string[] {
  const parts = [
    field.description,
    ...(field.required ? ['Required.'] : []),
    ...(field.values.length > 0 ? [`One of ${field.values.join(', ')}.`] : []),
    ...(field.defaultText !== undefined ? [`Default: ${field.defaultText}.`] : []),
  ];
  return wrapped(parts.join(' ')).map((line) => `  # ${line}`);
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

function presetOf({ format }: Field, { references = {} }: TemplateOptions): string | undefined {
  const kind = format?.startsWith('ref:') === true ? format.slice(4) : undefined;
  return kind === undefined ? undefined : references[kind];
}

interface Place {
  readonly indent: string;
  readonly depth: number;
  /** Below spec. */
  readonly path: string;
}

interface LineOptions extends TemplateOptions {
  /** Treatment of the other parts of a field of which only some are required. */
  readonly rest: 'left out' | 'commented';
}

function fieldLines(field: Field, options: LineOptions, { indent, depth, path }: Place): string[] {
  const { name, type, children } = field;
  if (children.size === 0 || depth >= DEPTH_MAX) return [`${indent}${name}: ${exampleOf(field, options)}`];
  const [list, map] = [type === 'list', type === 'map'];
  const inPart = !list && !map && isRequiredBelow(path, options);
  const below = (at: string) =>
    [...children.values()].flatMap((child) => {
      const place = { indent: at, depth: depth + 1, path: `${path}.${child.name}` };
      const lines = fieldLines(child, options, place);
      if (!inPart || options.extraPaths?.includes(place.path) || isRequiredBelow(place.path, options)) return lines;
      return options.rest === 'commented' ? commented(lines, at) : [];
    });
  if (list) {
    const [first = '', ...rest] = below(`${indent}    `);
    return [`${indent}${name}:`, `${indent}  - ${first.trimStart()}`, ...rest];
  }
  if (map) return [`${indent}${name}:`, `${indent}  some-name:`, ...below(`${indent}    `)];
  return [`${indent}${name}:`, ...below(`${indent}  `)];
}

/** A value of the right type, as YAML. */
function exampleOf(field: Field, options: TemplateOptions): string {
  const { type, values, defaultText, format } = field;
  const preset = presetOf(field, options);
  if (type === 'list') return preset !== undefined ? `[${preset}]` : values[0] !== undefined ? `[${values[0]}]` : '[]';
  if (type === 'map' || type === 'object') return '{}';
  if (preset !== undefined) return preset;
  if (type === 'boolean') return defaultText === 'true' ? 'true' : 'false';
  if (type === 'integer' || type === 'number') return /^\d+(\.\d+)?$/.exec(defaultText ?? '')?.[0] ?? '0';
  if (values.length > 0) return values.find((value) => value === defaultText) ?? values[0] ?? '""';
  if (format !== undefined && format in EXAMPLES)
    return defaultText !== undefined && /^\d+[a-z]+$/.test(defaultText) ? defaultText : (EXAMPLES[format] ?? '""');
  return '""';
}
