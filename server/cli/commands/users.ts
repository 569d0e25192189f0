// `svcctl users`: people who sign in with a name and a password, and their browser sign-ins. Passwords are read from files or standard input,
// and generated ones are printed once.
import { Option } from '@commander-js/extra-typings';
import { userNameProblem } from '@svc/shared/user-name';
import type { CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { age } from '../output/time.ts';
import { everyPage } from '../api/resource-api.ts';
import { readGiven } from '../program/terminal.ts';

const ROLES = ['reader', 'approver', 'writer', 'admin'] as const;
const PATH = '/v1/auth/users';

interface UserRecord {
  readonly username: string;
  readonly role: string;
  readonly created_at: string;
}

interface SignInRecord {
  readonly id: string;
  readonly username: string;
  readonly method: string;
  readonly created_at: string;
  readonly client_address: string;
}

type WithPassword = UserRecord & { readonly password?: string };

const role = () => new Option('--role <role>', 'role of the user').choices(ROLES).makeOptionMandatory();

export const setupUsers: CommandSetup = (command, run) => {
  command
    .command('create <username>')
    .description('create a user and print the generated password once; admin only')
    .addOption(role())
    .action((username, options) => run((invocation) => create(invocation, username, options.role)));
  command
    .command('list')
    .description('list users')
    .action(() => run(list));
  command
    .command('set-role <username>')
    .description('change the role of a user')
    .addOption(role())
    .action((username, options) => run((invocation) => setRole(invocation, username, options.role)));
  command
    .command('reset-password <username>')
    .description('give a user a new password, and end the sign-ins of the user')
    .option('--password-file <path>', 'the password, from a file or from standard input for -; without it one is generated and printed')
    .action((username, options) => run((invocation) => resetPassword(invocation, username, options.passwordFile)));
  command
    .command('delete <username>')
    .description('delete a user; open streams of the user end within a second')
    .action((username) => run((invocation) => remove(invocation, username)));
  command
    .command('sign-ins [username]')
    .description('list browser sign-ins, of all or of one user or token')
    .action((username) => run((invocation) => listSignIns(invocation, username)));
  command
    .command('end-sign-in <id>')
    .description('end a browser sign-in')
    .action((id) => run((invocation) => endSignIn(invocation, id)));
};

function segment(username: string): string {
  const problem = userNameProblem(username);
  if (problem !== undefined) throw usageError(`"${username}" is not a valid user name: it ${problem}`);
  return encodeURIComponent(username);
}

function signInSegment(id: string): string {
  if (!/^[0-9a-f]{64}$/.test(id))
    throw usageError(`"${id}" is not the id of a sign-in`, (svcctl) => `list them with "${svcctl} users sign-ins"`);
  return id;
}

function showPassword(invocation: Invocation, user: WithPassword, format: string): void {
  if (format === 'json') return invocation.out(JSON.stringify(user, null, 2));
  if (user.password === undefined) return invocation.out(`user/${user.username} has the new password`);
  invocation.note(`Password of ${user.username} (${user.role}). It is shown only once:`);
  invocation.out(user.password);
}

async function create(invocation: Invocation, username: string, userRole: string): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json']);
  const { body } = await client.send<WithPassword>({ method: 'POST', path: PATH, body: { username, role: userRole } });
  showPassword(invocation, body, format);
}

async function setRole(invocation: Invocation, username: string, userRole: string): Promise<void> {
  const { client } = await invocation.connect();
  await client.send({ method: 'PATCH', path: `${PATH}/${segment(username)}`, body: { role: userRole } });
  invocation.out(`user/${username} has role ${userRole}`);
}

async function resetPassword(invocation: Invocation, username: string, file: string | undefined): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json']);
  // One line break at the end belongs to the file.
  const given = file === undefined ? undefined : (await readGiven(invocation.terminal, file)).toString('utf8').replace(/\r?\n$/, '');
  if (given === '') throw usageError(`${file} holds no password`);
  const request = { username, ...(given !== undefined && { new_password: given }) };
  const { body } = await client.send<WithPassword>({ method: 'POST', path: '/v1/auth/admin/reset-password', body: request });
  showPassword(invocation, body, format);
}

async function remove(invocation: Invocation, username: string): Promise<void> {
  const { client } = await invocation.connect();
  await client.send({ method: 'DELETE', path: `${PATH}/${segment(username)}` });
  invocation.out(`user/${username} deleted`);
}

async function list(invocation: Invocation): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  const users = await everyPage<UserRecord>(client, PATH);
  if (format === 'json') return invocation.out(JSON.stringify(users, null, 2));
  if (format === 'name') return invocation.out(...users.map(({ username }) => username));
  if (users.length === 0) return invocation.note('No users.');
  const rows = users.map((user) => [user.username, user.role, age(user.created_at, Date.now())]);
  invocation.table(['NAME', 'ROLE', 'AGE'], rows, { wide: format === 'wide', drop: [] });
}

async function listSignIns(invocation: Invocation, username: string | undefined): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  const signIns = await everyPage<SignInRecord>(client, '/v1/auth/sessions', username === undefined ? {} : { username });
  if (format === 'json') return invocation.out(JSON.stringify(signIns, null, 2));
  if (format === 'name') return invocation.out(...signIns.map(({ id }) => id));
  if (signIns.length === 0) return invocation.note('No sign-ins.');
  const since = (at: string) => (at === '' ? '-' : age(at, Date.now()));
  const rows = signIns.map((each) => [each.username, each.method, each.client_address || '-', since(each.created_at), each.id]);
  invocation.table(['NAME', 'WITH', 'FROM', 'AGE', 'ID'], rows, { wide: format === 'wide', drop: ['FROM', 'WITH'] });
}

async function endSignIn(invocation: Invocation, id: string): Promise<void> {
  const { client } = await invocation.connect();
  const { body } = await client.send<SignInRecord>({ method: 'DELETE', path: `/v1/auth/sessions/${signInSegment(id)}` });
  invocation.out(`sign-in of ${body.username} ended`);
}
