// The reference page of the REST API, from the OpenAPI document. It has the routes common to all kinds once.
import { ERROR_TABLE, type ErrorCode } from '@svc/shared/errors';
import { kindByName, kinds } from '@svc/shared/kinds';
import { openApiDocument } from '../http/openapi/document.ts';
import type { Route } from '../http/route.ts';
import { code, codeBlock, GENERATED_NOTICE, page, prose, table } from './markdown.ts';
import { lastPart, schemaNotes, typeText, type Document, type Operation, type Parameter, type Schema } from './openapi-shapes.ts';

/** An operation with the texts of its section. */
interface DescribedOperation {
  readonly route: Route;
  readonly heading: string;
  readonly summary: string;
  readonly body: string;
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ');

function parameterTable(parameters: readonly Parameter[]): string {
  const described = parameters.filter((parameter) => parameter.in === 'query' || parameter.in === 'header');
  return table(
    ['Parameter', 'In', 'Type', 'Meaning'],
    described.map((parameter) => [
      code(parameter.name),
      parameter.in,
      code(typeText(parameter.schema)),
      join(
        parameter.deprecated ? 'Deprecated.' : parameter.required ? 'Required.' : '',
        prose(parameter.description ?? ''),
        schemaNotes(parameter.schema),
      ),
    ]),
  );
}

function bodyBlock({ requestBody }: Operation): string {
  if (!requestBody) return '';
  const types = Object.keys(requestBody.content).map(code).join(', ');
  const [first] = Object.values(requestBody.content);
  const optional = requestBody.required ? '' : ' Optional.';
  return `Body: ${code(typeText(first?.schema ?? {}))}. ${prose(requestBody.description)}${optional} As ${types}.`;
}

function answerTable(operation: Operation): string {
  const answers = Object.entries(operation.responses).filter(([, response]) => !response.$ref);
  return table(
    ['Status', 'Body', 'Meaning'],
    answers.map(([status, response]) => {
      const types = Object.keys(response.content ?? {});
      const [media] = Object.values(response.content ?? {});
      const type = types.join() === 'application/json' ? '' : ` as ${types.map(code).join(' or ')}`;
      return [code(status), media === undefined ? '' : `${code(typeText(media.schema))}${type}`, prose(response.description ?? '')];
    }),
  );
}

function errorLine(operation: Operation): string {
  const errors = Object.entries(operation.responses).filter(([, response]) => response.$ref);
  return `Errors: ${errors.map(([status, { $ref }]) => code(`${status} ${lastPart($ref ?? '')}`)).join(', ')}.`;
}

const role = (route: Route): string => (route.access === 'public' ? 'none' : route.access);

/** The document's description ends in a paragraph about the role, which has its own place here. */
const withoutRole = (description: string): string => description.split('\n\n').slice(0, -1).join('\n\n');

function operationBody(route: Route, operation: Operation): string {
  return [
    `${operation.summary}. Role: ${role(route)}.`,
    prose(withoutRole(operation.description)),
    parameterTable(operation.parameters ?? []),
    bodyBlock(operation),
    answerTable(operation),
    errorLine(operation),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function describe(document: Document, route: Route): DescribedOperation | undefined {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  if (!operation) return undefined;
  return { route, heading: `${route.method} ${route.path}`, summary: operation.summary, body: operationBody(route, operation) };
}

/** Replaces the names of the kind in an operation by placeholders for any kind. */
function generalised(described: DescribedOperation): DescribedOperation {
  const kind = kindByName(described.route.tag);
  if (!kind) return described;
  const general = (text: string) =>
    text.replaceAll(kind.plural, '{kind}').replaceAll(`\`${kind.kind}\``, '`Resource`').replaceAll(`[]${kind.kind}`, '[]Resource');
  return { ...described, heading: general(described.heading), summary: general(described.summary), body: general(described.body) };
}

interface CommonOperations {
  readonly operations: readonly DescribedOperation[];
  /** Whether an operation says nothing beyond its common form. */
  readonly covers: (described: DescribedOperation) => boolean;
}

/** Operations that every kind has, each in the form that most kinds share. */
function commonOperations(all: readonly DescribedOperation[]): CommonOperations {
  const byHeading = new Map<string, DescribedOperation[]>();
  for (const form of all.filter(({ route }) => kindByName(route.tag)).map(generalised)) {
    byHeading.set(form.heading, [...(byHeading.get(form.heading) ?? []), form]);
  }
  const operations = [...byHeading.values()].filter((forms) => forms.length === kinds.length).map(mostFrequent);
  return {
    operations,
    covers: (described) => {
      const form = generalised(described);
      return operations.some((common) => common.heading === form.heading && common.body === form.body);
    },
  };
}

function mostFrequent(forms: readonly [DescribedOperation, ...DescribedOperation[]] | readonly DescribedOperation[]): DescribedOperation {
  const count = (body: string) => forms.filter((form) => form.body === body).length;
  return forms.reduce((best, form) => (count(form.body) > count(best.body) ? form : best));
}

const indexTable = (described: readonly DescribedOperation[]): string =>
  table(
    ['Method', 'Path', 'Role', 'What it does'],
    described.map(({ route, heading, summary }) => [
      route.method,
      code(heading.slice(route.method.length + 1)),
      role(route),
      prose(summary),
    ]),
  );

const section = ({ heading, body }: DescribedOperation): string[] => [`### ${heading}`, body];

/** Statuses with their codes, as every operation may answer them. */
function errorTable(document: Document): string {
  return table(
    ['Status', 'Code', 'Meaning'],
    Object.entries(document.components.responses).map(([name, { description }]) => [
      code(String(ERROR_TABLE[name as ErrorCode].httpStatus)),
      code(name),
      prose(description ?? ''),
    ]),
  );
}

function schemaRows(schema: Schema, prefix = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [
      code(`${prefix}${name}`),
      code(typeText(field)),
      schema.required?.includes(name) ? 'yes' : '',
      join(prose(field.description ?? ''), schemaNotes(field)),
    ],
    ...schemaRows(field.items ?? field, `${prefix}${name}${field.items ? '[]' : ''}.`),
  ]);
}

function schemaBlocks(document: Document): string[] {
  return Object.entries(document.components.schemas)
    .filter(([name]) => !kindByName(name))
    .flatMap(([name, schema]) => [
      `### ${name}`,
      prose(schema.description ?? ''),
      table(['Field', 'Type', 'Required', 'Meaning'], schemaRows(schema)),
    ]);
}

/** Tags in the order of their first route, without the kinds that have nothing of their own. */
function ownSections({ tags }: Document, all: readonly DescribedOperation[], common: CommonOperations): string[] {
  return tags.flatMap(({ name: tag, description }) => {
    const own = all.filter((described) => described.route.tag === tag && !common.covers(described));
    if (own.length === 0) return [];
    const remark = kindByName(tag) ? 'What differs from the operations of every kind, or comes on top of them.' : prose(description);
    return [`## ${tag}`, remark, indexTable(own), ...own.flatMap(section)];
  });
}

export function apiPage(routes: readonly Route[]): string {
  // The document's own shape is fixed by OpenAPI; the version is left out, so that the page changes only with the interface.
  const document = openApiDocument(routes, kinds, { version: '', basePath: '' }) as unknown as Document;
  const all = routes.flatMap((route) => describe(document, route) ?? []);
  const common = commonOperations(all);
  return page([
    GENERATED_NOTICE,
    '# REST API',
    'The same description, for machines, is at `GET /openapi.json` of a running server, and as a page at `/docs`. The [guide](../api-guide.md) shows it in use.',
    'Roles build on one another: `admin` may do what `writer` may, and `writer` what `reader` may. They count when authentication is on; then send `Authorization: Bearer TOKEN`. A HEAD request is answered as the GET of its path, without the body.',
    '## Errors',
    'Every answer carries `X-Request-Id`. An error is JSON:',
    codeBlock(
      'json',
      '{"error": {"code": "invalid", "message": "One sentence.", "details": [{"path": "spec.model_ref", "message": "is required"}]}}',
    ),
    errorTable(document),
    '## Every kind',
    `Each of these exists for every kind; put its path for \`{kind}\`: ${kinds.map((kind) => `[${kind.plural}](kinds/${kind.plural}.md)`).join(', ')}.`,
    indexTable(common.operations),
    ...common.operations.flatMap(section),
    ...ownSections(document, all, common),
    '## Schemas',
    'Bodies that belong to no kind. Those of the kinds are in [kinds](kinds/README.md).',
    ...schemaBlocks(document),
  ]);
}
