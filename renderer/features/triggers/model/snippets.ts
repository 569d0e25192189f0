// Programs that sign and send a delivery to a webhook, in several languages. Pure. Every text of the webhook is quoted: a prefix or a header name
// never becomes part of a program.
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import { signedHead } from '@svc/shared/kinds/task-webhook/signing';

export const LANGUAGES = ['curl', 'node', 'python', 'svcctl'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface SnippetTarget {
  readonly namespace: string;
  readonly name: string;
  /** Address of deliveries. */
  readonly url: string;
  readonly spec: Pick<TaskWebhookSpec, 'auth' | 'idempotency'>;
}

type Variable = 'time' | 'body' | 'signature' | 'id' | 'secret';
type Part = { readonly text: string } | { readonly variable: Variable };

interface Recipe {
  /** Parts of the signed text; undefined where the token itself is sent. */
  readonly signed: readonly Part[] | undefined;
  readonly algorithm: string;
  readonly encoding: string;
  readonly headers: readonly (readonly [name: string, value: readonly Part[]])[];
}

const MARK = '\0';
const text = (value: string): Part[] => (value === '' ? [] : [{ text: value }]);
const variable = (name: Variable): Part => ({ variable: name });

function recipeOf({ spec: { auth, idempotency } }: SnippetTarget): Recipe {
  const [before = '', after] = (signedHead(auth, MARK) ?? '').split(MARK);
  const isToken = auth.profile === 'shared_token';
  const proof = [...text(auth.signature_prefix ?? ''), variable(isToken ? 'secret' : 'signature')];
  const pairs = [
    ...(auth.timestamp_key === undefined ? [] : [...text(`${auth.timestamp_key}=`), variable('time'), ...text(',')]),
    ...text(`${auth.signature_key ?? ''}=`),
  ];
  return {
    signed: isToken ? undefined : [...text(before), ...(after === undefined ? [] : [variable('time'), ...text(after)]), variable('body')],
    algorithm: auth.algorithm ?? 'sha256',
    encoding: auth.signature_encoding ?? 'hex',
    headers: [
      ['Content-Type', text('application/json')],
      [auth.signature_header ?? '', auth.header_format === 'kv_pairs' ? [...pairs, ...proof] : proof],
      ...(auth.timestamp_header === undefined ? [] : [[auth.timestamp_header, [variable('time')]] as const]),
      ...(idempotency.event_id_header === undefined ? [] : [[idempotency.event_id_header, [variable('id')]] as const]),
    ],
  };
}

const needsTime = ({ signed = [], headers }: Recipe): boolean =>
  [...signed, ...headers.flatMap(([, value]) => value)].some((part) => 'variable' in part && part.variable === 'time');

/** Neighbouring texts as one. */
function merged(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in part) all[all.length - 1] = { text: last.text + part.text };
    else all.push(part);
  }
  return all;
}

const shellText = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;
const shell = (parts: readonly Part[]): string =>
  merged(parts)
    .map((part) => ('text' in part ? shellText(part.text) : `"$${part.variable.toUpperCase()}"`))
    .join('');
/** A literal of JSON is one of JavaScript and of Python, too. */
const literal = (value: string): string => JSON.stringify(value);
const sum = (parts: readonly Part[]): string =>
  merged(parts)
    .map((part) => ('text' in part ? literal(part.text) : part.variable))
    .join(' + ');

function curl(target: SnippetTarget, recipe: Recipe): string {
  const digest = `openssl dgst -${recipe.algorithm} -hmac "$SECRET"`;
  const written = recipe.encoding === 'base64' ? `${digest} -binary | base64 | tr -d '\\n'` : `${digest} | sed 's/^.* //'`;
  return [
    'SECRET=$(cat secret.txt)',
    `BODY='{"test":true}'`,
    'ID=$(openssl rand -hex 16)',
    ...(needsTime(recipe) ? ['TIME=$(date +%s)'] : []),
    ...(recipe.signed ? [`SIGNATURE=$(printf %s ${shell(recipe.signed)} | ${written})`] : []),
    `curl ${shellText(target.url)} \\`,
    ...recipe.headers.map(([name, value]) => `  -H ${shell([{ text: `${name}: ` }, ...value])} \\`),
    '  -d "$BODY"',
  ].join('\n');
}

function node(target: SnippetTarget, recipe: Recipe): string {
  return [
    "import { createHmac, randomUUID } from 'node:crypto';",
    "import { readFileSync } from 'node:fs';",
    '',
    "const secret = readFileSync('secret.txt', 'utf8').trimEnd();",
    'const body = JSON.stringify({ test: true });',
    'const id = randomUUID();',
    ...(needsTime(recipe) ? ['const time = String(Math.floor(Date.now() / 1000));'] : []),
    ...(recipe.signed
      ? [`const signature = createHmac('${recipe.algorithm}', secret).update(${sum(recipe.signed)}).digest('${recipe.encoding}');`]
      : []),
    `const answer = await fetch(${literal(target.url)}, {`,
    "  method: 'POST',",
    '  body,',
    '  headers: {',
    ...recipe.headers.map(([name, value]) => `    ${literal(name)}: ${sum(value)},`),
    '  },',
    '});',
    'console.log(answer.status, await answer.text());',
  ].join('\n');
}

function python(target: SnippetTarget, recipe: Recipe): string {
  const digest = `hmac.new(secret.encode(), (${sum(recipe.signed ?? [])}).encode(), "${recipe.algorithm}")`;
  const written = recipe.encoding === 'base64' ? `base64.b64encode(${digest}.digest()).decode()` : `${digest}.hexdigest()`;
  return [
    'import base64, hmac, json, urllib.request, uuid',
    'from time import time as now',
    '',
    'secret = open("secret.txt").read().rstrip()',
    'body = json.dumps({"test": True})',
    'id = str(uuid.uuid4())',
    ...(needsTime(recipe) ? ['time = str(int(now()))'] : []),
    ...(recipe.signed ? [`signature = ${written}`] : []),
    `request = urllib.request.Request(${literal(target.url)}, data=body.encode(), headers={`,
    ...recipe.headers.map(([name, value]) => `    ${literal(name)}: ${sum(value)},`),
    '})',
    'print(urllib.request.urlopen(request).read().decode())',
  ].join('\n');
}

export function snippet(language: Language, target: SnippetTarget): string {
  const { namespace, name } = target;
  if (language === 'svcctl') return `npx svcctl webhook send ${name} -n ${namespace} --secret-file secret.txt`;
  return { curl, node, python }[language](target, recipeOf(target));
}
