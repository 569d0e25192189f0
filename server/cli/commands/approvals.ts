// `svcctl approvals`: what waits for a person, and the decision on it. `svcctl approve` and `svcctl deny` are short forms.
import { Option, type Command } from '@commander-js/extra-typings';
import type { SignedDecision } from '@svc/shared/decision-record';
import type { JsonObject } from '@svc/shared/json';
import { ANSWERED, CALL_OUTCOMES } from '@svc/shared/kinds/tool-approval/outcomes';
import { statusOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { checkInputFlags, editInput, inputOfFlags, type InputFlags } from '../arguments/approval-input.ts';
import {
  APPROVAL_KINDS,
  approvalStatus,
  requiresOutcome,
  findApproval,
  type ApprovalKind,
  type NamedApproval,
} from '../api/approval-objects.ts';
import type { CommandSetup, Run } from '../program/command-setup.ts';
import { decisionPages } from '../arguments/decision-source.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import { RECORD_FORMATS } from '../output/one-record.ts';
import type { Invocation } from '../program/invocation.ts';
import { objectWord } from '../arguments/kind-arguments.ts';
import { approvalLines } from '../output/approval-view.ts';
import { resourceName, resourceYaml } from '../output/resources.ts';
import { postAction } from '../api/resource-api.ts';
import { listOrWatch } from './approvals-list.ts';

interface DecideOptions extends InputFlags {
  readonly kind?: ApprovalKind | undefined;
  readonly comment?: string | undefined;
  readonly as?: string | undefined;
  readonly outcome?: string | undefined;
  readonly toolOutput?: string | undefined;
  readonly answer?: string | undefined;
}

type Action = 'approve' | 'deny' | 'request-changes';

const DONE: Readonly<Record<Action, string>> = { approve: 'approved', deny: 'denied', 'request-changes': 'sent back for changes' };
const NAME_HELP = 'name of the approval; tool-approval/NAME or task-approval/NAME where both kinds have it';

const kindOption = () => new Option('--kind <kind>', 'kind of the approval').choices(APPROVAL_KINDS);
const asOption = () => new Option('--as <name>', 'name of the person who decides; when you are signed in, of the person you decide for');

export const setupApprovals: CommandSetup = (command, run) => {
  command
    .command('list')
    .description('list what waits for a decision, soonest to expire first')
    .option('--all', 'decided and expired ones too')
    .option('--task <name>', 'only approvals of this task')
    .addOption(kindOption())
    .option('-w, --watch', 'keep printing changes until Ctrl-C')
    .action((options) => run((invocation) => listOrWatch(invocation, options)));
  command
    .command('show')
    .description('show the exact call or output, its requester, and the decision')
    .argument('<approval>', NAME_HELP)
    .addOption(kindOption())
    .action((name, { kind }) => run((invocation) => show(invocation, name, kind)));
  setupApprove(command.command('approve').description('approve, as it is or with another input'), run);
  setupDeny(command.command('deny').description('deny: the task ends'), run);
  setupRequestChanges(command.command('request-changes').description("send an agent's output back with a comment"), run);
};

export const setupApprove: CommandSetup = (command, run) => {
  command
    .argument('<approval>', NAME_HELP)
    .addOption(kindOption())
    .option('--comment <text>', 'why, for the record')
    .addOption(asOption())
    .option('--edit', 'edit the input in $VISUAL or $EDITOR, then approve that')
    .option('--input-file <file>', 'approve with this input instead, a file of JSON or YAML; "-" reads standard input')
    .option('--input-json <text>', 'approve with this input instead, as JSON')
    .option('--outcome <what>', `for a call of unknown outcome: ${CALL_OUTCOMES.join(', ')}`)
    .option('--tool-output <text>', 'with --outcome done: the answer of the tool')
    .option('--answer <text>', 'answer in place of the call, which is not made')
    .action((name, options) => run((invocation) => approve(invocation, name, options)));
};

export const setupDeny: CommandSetup = (command, run) => {
  command
    .argument('<approval>', NAME_HELP)
    .addOption(kindOption())
    .option('--comment <text>', 'why, for the record')
    .addOption(asOption())
    .action((name, options) => run((invocation) => decideNamed(invocation, { name, action: 'deny' }, options)));
};

function setupRequestChanges(command: Command, run: Run): void {
  command
    .argument('<approval>', 'name of a task approval')
    .requiredOption('--comment <text>', 'the requested changes, which the agent receives')
    .addOption(asOption())
    .action((name, options) =>
      run((invocation) => decideNamed(invocation, { name, action: 'request-changes' }, { ...options, kind: 'task' })),
    );
}

async function show(invocation: Invocation, name: string, kind: ApprovalKind | undefined): Promise<void> {
  const connection = await invocation.connect();
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const { resource } = await findApproval(connection, name, kind);
  if (format !== 'table') return print(invocation, resource, format);
  const records: SignedDecision[] = [];
  const { namespace, name: approval, uid } = resource.metadata;
  for await (const page of decisionPages(connection.client, { approval: `${namespace}/${approval}` }))
    records.push(...page.filter((record) => record.approval.uid === uid));
  const layout = { namespaces: false, phases: true, nowMs: Date.now(), style: invocation.style };
  invocation.out(...approvalLines(resource, records, layout));
}

function print(invocation: Invocation, resource: Resource, format: 'json' | 'yaml' | 'name'): void {
  if (format === 'json') return invocation.out(JSON.stringify(resource, null, 2));
  invocation.out(format === 'yaml' ? resourceYaml(resource) : resourceName(resource));
}

async function approve(invocation: Invocation, name: string, options: DecideOptions): Promise<void> {
  invocation.format(RECORD_FORMATS);
  checkInputFlags(options);
  checkAnswerFlags(options);
  const input = await inputOfFlags(invocation.terminal, options);
  if (!options.edit) return decideNamed(invocation, { name, action: 'approve', ...(input && { input }) }, options);
  const approval = await findApproval(await invocation.connect(), name, options.kind);
  refuseToolOptions(approval, options);
  requireEditable(approval);
  const decide = (edited: JsonObject) => post(invocation, approval, { action: 'approve', input: edited, options });
  report(invocation, await editInput(invocation.terminal, approval.resource, decide), 'approve');
}

/** Flags about a call that were given. */
function callFlags({ edit, inputFile, inputJson, outcome, toolOutput, answer }: DecideOptions): string[] {
  const flags = {
    '--edit': edit,
    '--input-file': inputFile,
    '--input-json': inputJson,
    '--outcome': outcome,
    '--tool-output': toolOutput,
    '--answer': answer,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

function checkAnswerFlags(options: DecideOptions): void {
  const [flag] = options.answer === undefined ? [] : callFlags({ ...options, answer: undefined });
  if (flag !== undefined) throw usageError(`--answer and ${flag} cannot be combined`, 'with --answer the call is not made');
}

/** Before anybody types: what the server would refuse whatever they type. */
function requireEditable({ resource }: NamedApproval): void {
  const phase = approvalStatus(resource).phase;
  if (phase !== 'Pending') throw new CliError(`${resourceName(resource)} is ${phase}; an approval is decided only once`);
  if (requiresOutcome(resource))
    throw usageError(`the call of ${resourceName(resource)} was sent as it is`, 'give its outcome with --outcome');
}

async function decideNamed(
  invocation: Invocation,
  asked: { name: string; action: Action; input?: JsonObject },
  options: DecideOptions,
): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const approval = await findApproval(await invocation.connect(), asked.name, options.kind);
  refuseToolOptions(approval, options);
  report(invocation, await post(invocation, approval, { ...asked, options }), asked.action);
}

/** Refuses options that only a tool call has. */
function refuseToolOptions({ key }: NamedApproval, options: DecideOptions): void {
  const [flag] = key.kind.kind === 'ToolApproval' ? [] : callFlags(options);
  if (flag !== undefined) throw usageError(`${flag} is for tool approvals; ${objectWord(key.kind.kind, key.name)} is about an output`);
}

async function post(
  invocation: Invocation,
  { key, resource }: NamedApproval,
  { action, input, options }: { action: Action; input?: JsonObject; options: DecideOptions },
): Promise<Resource> {
  const { client } = await invocation.connect();
  const { as, comment, answer, outcome = answer === undefined ? undefined : ANSWERED, toolOutput: output = answer } = options;
  return postAction(client, key, { name: action, body: { decided_by: as, comment, outcome, output, input, uid: resource.metadata.uid } });
}

function report(invocation: Invocation, decided: Resource, action: Action): void {
  const format = invocation.format(RECORD_FORMATS);
  if (format !== 'table') return print(invocation, decided, format);
  const { edited_input: edited, outcome } = decided.kind === 'ToolApproval' ? statusOf('ToolApproval', decided) : {};
  const done = outcome === ANSWERED ? 'answered in place of the call' : DONE[action];
  invocation.out(`${resourceName(decided)} ${done}${edited === undefined ? '' : ' with another input'}`);
}
