// `svcctl auth can-i`: the verdict on a call, and its reasons, from the server; or what the caller's role permits. `svcctl auth whoami`: the caller as
// the server sees it.
import { Option } from '@commander-js/extra-typings';
import { findKind } from '@svc/shared/kinds';
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import type { AccessCheckAnswer, AccessRule, AccessVerdict } from '@svc/shared/api/access';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { NO_TOKEN_HINT } from '../api/client.ts';
import type { Invocation } from '../program/invocation.ts';
import { yamlText } from '../output/data-text.ts';
import { fieldLines } from '../output/table.ts';
import { wrapped } from '../output/text-width.ts';

interface CheckOptions {
  readonly operation?: string | undefined;
  readonly system?: string | undefined;
  readonly task?: string | undefined;
  readonly model?: string | undefined;
}

export const setupAuth: CommandSetup = (command, run) => {
  command
    .command('can-i <agent> <tool>')
    .description(
      'check whether an agent may call a tool now, and list everything that was examined; with VERB KIND, whether your role permits it',
    )
    .addOption(new Option('--operation <class>', 'only this operation class; default: all of the tool').choices(OPERATION_CLASSES))
    .option('--system <name>', 'in a run of this agent system')
    .option('--task <name>', 'in a run of this task, which need not exist yet')
    .option('--model <name>', 'check this model endpoint instead of that of the agent')
    .addHelpText(
      'after',
      `\nNames are NAME or NAMESPACE/NAME; an agent named like a verb needs the latter.\nWithout --system and --task, policies that target one are left out.` +
        `\nExit codes: ${EXIT.ok} yes, ${EXIT.failed} no, ${EXIT.needsApproval} a person has to approve each call.\nThe model is not part of it.` +
        `\nVerbs: ${Object.keys(VERB_ROLES).join(', ')}.` +
        `\nAn authorizer, and specs that need an administrator, are judged at the write.`,
    )
    .action((agent, tool, options) => {
      const kind = Object.hasOwn(VERB_ROLES, agent) ? findKind(tool.split('/')[0] ?? '') : undefined;
      return run((invocation) => (kind ? mayI(invocation, agent, kind.kind) : canI(invocation, { agent, tool, ...options })));
    });
  command
    .command('whoami')
    .description('show your name and role on the server')
    .action(() => run(whoAmI));
};

const ROLES = ['reader', 'approver', 'writer', 'admin'];
/** Least role for a verb on objects. */
const VERB_ROLES: Readonly<Record<string, string>> = {
  ...{ get: 'reader', list: 'reader', watch: 'reader' },
  ...{ approve: 'approver', deny: 'approver' },
  ...{ create: 'writer', update: 'writer', patch: 'writer', delete: 'writer', apply: 'writer' },
};

async function mayI(invocation: Invocation, verb: string, kind: string): Promise<number> {
  const format = invocation.format(['text', 'json', 'yaml']);
  const me = await readMe(invocation);
  if (!me.authenticated) throw noToken((await invocation.connect()).server);
  const needed = VERB_ROLES[verb] ?? 'admin';
  const allowed = ROLES.indexOf(me.role) >= ROLES.indexOf(needed);
  const reason = `${verb} needs role ${needed}; you have role ${me.role}`;
  const answer = { allowed, verb, kind, role: me.role, reason };
  if (format === 'json') invocation.out(JSON.stringify(answer, null, 2));
  else if (format === 'yaml') invocation.out(yamlText(answer));
  else invocation.out(allowed ? invocation.style.good('yes') : invocation.style.bad('no'), ...fieldLines([['Why', reason]]));
  return allowed ? EXIT.ok : EXIT.failed;
}

interface Me {
  readonly authenticated: boolean;
  readonly method: string;
  readonly name: string;
  readonly role: string;
}

async function readMe(invocation: Invocation): Promise<Me> {
  const { client } = await invocation.connect();
  return (await client.send<Me>({ method: 'GET', path: '/v1/auth/me' })).body;
}

const noToken = (server: string) => new CliError(`${server} requires a token`, { exitCode: EXIT.denied, hint: NO_TOKEN_HINT });

async function whoAmI(invocation: Invocation): Promise<number> {
  const format = invocation.format(['table', 'json', 'yaml']);
  const { server, token } = await invocation.connect();
  const me = await readMe(invocation);
  if (format === 'json') invocation.out(JSON.stringify(me, null, 2));
  else if (format === 'yaml') invocation.out(yamlText(me));
  else if (me.authenticated) {
    const source = me.method === 'none' ? 'none: the server requires no token' : (token?.from ?? me.method);
    invocation.out(
      ...fieldLines([
        ['Name', me.name],
        ['Role', me.role],
        ['Token', source],
        ['Server', server],
      ]),
    );
  }
  if (me.authenticated) return EXIT.ok;
  throw noToken(server);
}

async function canI(invocation: Invocation, { agent, tool, ...asked }: CheckOptions & { agent: string; tool: string }): Promise<number> {
  const format = invocation.format(['text', 'json', 'yaml']);
  const { client, namespace } = await invocation.connect();
  const body = { agent, tool, namespace, ...asked };
  const answer = (await client.send<AccessCheckAnswer>({ method: 'POST', path: '/v1/authorize/check', body })).body;
  if (format === 'json') invocation.out(JSON.stringify(answer, null, 2));
  else if (format === 'yaml') invocation.out(yamlText(answer));
  else invocation.out(...answerLines(invocation, answer));
  return EXIT_CODES[answer.verdict];
}

const EXIT_CODES: Readonly<Record<AccessVerdict['verdict'], number>> = {
  allow: EXIT.ok,
  deny: EXIT.failed,
  approval_required: EXIT.needsApproval,
};

function answerLines({ style, terminal }: Invocation, answer: AccessCheckAnswer): string[] {
  const words = { allow: style.good('yes'), deny: style.bad('no'), approval_required: style.warn('needs approval') };
  const { model, approval, token_limit: limit } = answer;
  const fields: (readonly [string, string])[] = [
    ['Why', answer.message],
    ['Reason', answer.code === undefined || answer.code === answer.reason ? answer.reason : `${answer.code}, ${answer.reason}`],
    ['Rule', ruleText(answer.rule)],
    ...(approval
      ? [
          [
            'Approval',
            `expires ${approval.ttl} after the request${approval.needs_other === true ? '; the creator of the Task and the last writer of the rule may not decide' : ''}`,
          ] as const,
        ]
      : []),
    ...(model ? [['Model', `${model.model}: ${words[model.verdict]}, ${model.message}`] as const] : []),
    ...(limit ? [['Tokens', `at most ${limit.tokens} in a run`] as const] : []),
  ];
  const looked = [...answer.findings, ...(model?.findings ?? [])].flatMap(({ effect, message }) =>
    marked(MARKS[effect] ?? '-', message, terminal.stdout.columns),
  );
  return [words[answer.verdict], ...fieldLines(fields, terminal.stdout.columns), ...(looked.length > 0 ? ['Examined:', ...looked] : [])];
}

function marked(mark: string, message: string, columns: number | undefined): string[] {
  const lines = columns === undefined ? [message] : wrapped(message, columns - 4);
  return lines.map((line, i) => `  ${i === 0 ? mark : ' '} ${line}`);
}

const MARKS: Readonly<Record<string, string>> = { allow: '+', deny: 'x', approval_required: '?', none: '-' };

function ruleText({ kind, namespace, name, path }: AccessRule): string {
  const object = name === undefined ? kind : `${kind} ${namespace}/${name}`;
  return path === undefined ? object : `${object} ${path}`;
}
