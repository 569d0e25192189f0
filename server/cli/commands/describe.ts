// `svcctl describe`: everything about an object on one page, its recent events and, for a Task that has not ended, why it is where it is.
import type { EventRecord } from '@svc/shared/api/watch';
import { isObject } from '@svc/shared/json';
import { statusOf } from '@svc/shared/kinds/read';
import { phaseOf, type Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { hasEnded } from '../api/end-phases.ts';
import type { Invocation } from '../program/invocation.ts';
import { kindsText, parseTargets } from '../arguments/kind-arguments.ts';
import { refuseWithNames } from '../arguments/target-keys.ts';
import { block } from '../output/decision-view.ts';
import { cellText } from '../output/resources.ts';
import { fieldLines, fittedLines } from '../output/table.ts';
import { age } from '../output/time.ts';
import { MissingObjects } from '../api/missing-objects.ts';
import { getObject, listObjects, sendAbout, type ObjectKey } from '../api/resource-api.ts';

const EVENTS_SHOWN = 20;
const HISTORY_SHOWN = 50;

export const setupDescribe: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME…, KIND NAME…, or KIND[,KIND…] for all of a kind')
    .option('-l, --selector <labels>', 'with KIND: only objects whose labels match')
    .action((words, options) => run((invocation) => describe(invocation, words, options.selector)));
};

async function describe(invocation: Invocation, words: readonly string[], selector: string | undefined): Promise<void> {
  const target = parseTargets(words);
  if ('objects' in target) refuseWithNames(invocation, { '-l': selector });
  const { client, namespace } = await invocation.connect();
  let count = 0;
  const show = async (key: ObjectKey, resource: Resource) => {
    if (count > 0) invocation.out('', '---', '');
    count += 1;
    invocation.out(...(await describeOne(invocation, key, resource)));
  };
  if ('objects' in target) {
    const missing = new MissingObjects();
    for (const { kind, name } of target.objects) {
      const key = { kind, namespace, name };
      const resource = await missing.found(getObject(client, key));
      if (resource) await show(key, resource);
    }
    return missing.report(invocation);
  }
  const filter = { namespace: invocation.allNamespaces ? '*' : namespace, labelSelector: selector };
  for (const kind of target.kinds) {
    for await (const page of listObjects(client, kind, filter)) {
      for (const { metadata } of page) {
        const key = { kind, namespace: metadata.namespace, name: metadata.name };
        await show(key, await getObject(client, key));
      }
    }
  }
  if (count === 0) invocation.note(`No ${kindsText(target.kinds)} in ${invocation.where(namespace)}.`);
}

/** Nested values as indented YAML under their title. */
function section(title: string, value: unknown): string[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [];
  return block(title, value);
}

function metadataLines(invocation: Invocation, resource: Resource): string[] {
  const { metadata } = resource;
  return fieldLines(
    [
      ['Name', invocation.style.bold(metadata.name)],
      ['Namespace', metadata.namespace],
      ['Kind', resource.kind],
      ['Phase', invocation.style.phase(cellText(phaseOf(resource)))],
      ['Labels', cellText(metadata.labels)],
      ['Annotations', cellText(metadata.annotations)],
      ['Created', whenLine(metadata.createdAt, metadata.createdBy)],
      ['Updated', whenLine(metadata.updatedAt, metadata.updatedBy)],
      ['Version', `${metadata.resourceVersion} (generation ${metadata.generation})`],
      ['UID', metadata.uid],
    ],
    invocation.terminal.stdout.columns,
  );
}

function whenLine(at: string, by: string | undefined): string {
  return `${at} (${age(at, Date.now())} ago)${by === undefined ? '' : ` by ${by}`}`;
}

async function describeOne(invocation: Invocation, key: ObjectKey, resource: Resource): Promise<string[]> {
  const { phase: _phase, ...status } = resource.status;
  const omitted = key.kind.heavyStatusFields.filter((field) => field in status);
  const counted = omitted.filter((field) => field !== 'history');
  const brief = Object.fromEntries(Object.entries(status).filter(([field]) => !omitted.includes(field)));
  return [
    ...metadataLines(invocation, resource),
    ...section('Spec:', resource.spec),
    ...section('Status:', brief),
    ...(counted.length > 0 ? ['', `Records: ${counted.map((field) => `${lengthOf(status[field])} ${field}`).join(', ')}`] : []),
    ...historyLines(invocation, key, resource),
    ...(await reasonLines(invocation, key, resource)),
    ...(await eventLines(invocation, key, resource)),
  ];
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

async function reasonLines(invocation: Invocation, key: ObjectKey, resource: Resource): Promise<string[]> {
  if (!key.kind.hasExplanation || hasEnded(resource)) return [];
  const { client } = await invocation.connect();
  const request = { method: 'GET', below: 'explain' } as const;
  const { reasons = [] } = await sendAbout<{ reasons?: readonly { code: string; message: string }[] }>(client, key, request);
  return reasons.length === 0 ? [] : ['', 'Explanation:', ...reasons.map((reason) => `  ${reason.message} (${reason.code})`)];
}

async function eventLines(invocation: Invocation, key: ObjectKey, { metadata: { uid } }: Resource): Promise<string[]> {
  const { client } = await invocation.connect();
  const {
    body: { items: events },
  } = await client.send<{ items: readonly EventRecord[] }>({
    method: 'GET',
    path: '/v1/events',
    query: {
      namespace: key.namespace,
      kind: key.kind.kind,
      name: key.name,
      uid,
      heartbeats: false,
      sort: '-createdAt',
      limit: EVENTS_SHOWN,
    },
  });
  if (events.length === 0) return ['', 'Events: none'];
  const now = Date.now();
  const rows = [...events].reverse().map((event) => [age(event.timestamp, now), event.type, event.source, event.message]);
  return recordLines(invocation, { title: 'Events:', header: ['AGE', 'TYPE', 'FROM', 'MESSAGE'], rows, drop: ['FROM'] });
}

interface Records {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly drop: readonly string[];
}

/** An indented table within the terminal; a file or a pipe gets it whole. */
function recordLines({ terminal, style }: Invocation, { title, header, rows, drop }: Records): string[] {
  const columns = terminal.stdout.columns === undefined ? undefined : terminal.stdout.columns - 2;
  const { lines } = fittedLines(header, rows, { columns, drop, style: { header: style.dim } });
  return ['', title, ...lines.map((line) => `  ${line}`)];
}

/** Claims, waits, retries and takeovers of a Task, the newest last. */
function historyLines(invocation: Invocation, { kind }: ObjectKey, resource: Resource): string[] {
  const { history = [] } = kind.heavyStatusFields.includes('history') ? statusOf('Task', resource) : {};
  if (history.length === 0) return [];
  const rows = history
    .slice(-HISTORY_SHOWN)
    .map(({ timestamp, type, message }) => [timestamp.replace(/\.\d+Z$/, 'Z'), type, message ?? '']);
  const left = history.length - rows.length;
  const title = left > 0 ? `History (${left} earlier left out; -o json of get has all):` : 'History:';
  return recordLines(invocation, { title, header: ['TIME', 'TYPE', 'MESSAGE'], rows, drop: [] });
}
