// `svcctl config`: profiles, so that a server and a namespace need not be named each time.
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { yamlText } from '../output/data-text.ts';
import { profilesPath, readProfiles, writeProfiles } from '../program/profiles.ts';
import { activeProfile } from '../program/settings.ts';

export const setupConfig: CommandSetup = (command, run) => {
  command
    .command('set-profile <name>')
    .description('create or change a profile from --server, -n and --token-env; the first one becomes current')
    .option('--token-env <variable>', 'the environment variable that holds the token; tokens themselves are never stored')
    .action((name, options) => run((invocation) => setProfile(invocation, name, options.tokenEnv)));
  command
    .command('use-profile <name>')
    .description('make a profile the current one')
    .action((name) => run((invocation) => useProfile(invocation, name)));
  command
    .command('delete-profile <name>')
    .description('remove a profile')
    .action((name) => run((invocation) => deleteProfile(invocation, name)));
  command
    .command('list')
    .description('list the profiles')
    .action(() => run(list));
  command
    .command('current')
    .description('print the name of the current profile')
    .action(() => run(current));
  command
    .command('view')
    .description('print the profiles file and where it is')
    .action(() => run(view));
};

async function setProfile(invocation: Invocation, name: string, tokenEnv: string | undefined): Promise<void> {
  const { server, namespace, token } = invocation.options;
  if (token !== undefined) throw usageError('tokens are not stored', 'keep it in an environment variable and name that with --token-env');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw usageError(`"${name}" is not a profile name`, 'use letters, digits, ".", "_" and "-"');
  const { env } = invocation.terminal;
  const file = await readProfiles(env);
  const previous = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
  const profile = {
    ...previous,
    ...(server !== undefined && { server }),
    ...(namespace !== undefined && { namespace }),
    ...(tokenEnv !== undefined && { tokenEnv }),
  };
  await writeProfiles(env, { current: file.current ?? name, profiles: { ...file.profiles, [name]: profile } });
  invocation.out(`profile ${name} ${previous ? 'changed' : 'created'}`);
}

async function useProfile(invocation: Invocation, name: string): Promise<void> {
  const file = await readProfiles(invocation.terminal.env);
  if (!Object.hasOwn(file.profiles, name))
    throw usageError(`there is no profile "${name}"`, (svcctl) => `list them with "${svcctl} config list"`);
  await writeProfiles(invocation.terminal.env, { ...file, current: name });
  invocation.out(`profile ${name} is current`);
}

async function deleteProfile(invocation: Invocation, name: string): Promise<void> {
  const file = await readProfiles(invocation.terminal.env);
  if (!Object.hasOwn(file.profiles, name))
    throw usageError(`there is no profile "${name}"`, (svcctl) => `list them with "${svcctl} config list"`);
  const { [name]: _gone, ...profiles } = file.profiles;
  await writeProfiles(invocation.terminal.env, {
    ...(file.current !== undefined && file.current !== name && { current: file.current }),
    profiles,
  });
  invocation.out(`profile ${name} deleted`);
}

async function list(invocation: Invocation): Promise<void> {
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  const file = await readProfiles(invocation.terminal.env);
  const names = Object.keys(file.profiles).sort();
  if (format === 'json') return invocation.out(JSON.stringify(file, null, 2));
  if (format === 'name') return invocation.out(...names);
  if (names.length === 0)
    return invocation.note(`No profiles. Make one with "${invocation.terminal.program} config set-profile NAME --server URL".`);
  const rows = names.map((name) => {
    const profile = file.profiles[name];
    return [name, name === file.current ? 'yes' : '', profile?.server ?? '-', profile?.namespace ?? '-', profile?.tokenEnv ?? '-'];
  });
  const header = ['NAME', 'CURRENT', 'SERVER', 'NAMESPACE', 'TOKEN FROM'];
  invocation.table(header, rows, { wide: format === 'wide', drop: ['TOKEN FROM', 'NAMESPACE'] });
}

/** The profile in force: that of --profile or SVCCTL_PROFILE before the current one of the file. */
async function current(invocation: Invocation): Promise<void> {
  const { env } = invocation.terminal;
  const name = activeProfile(invocation.options, env, await readProfiles(env));
  if (name === undefined)
    throw new CliError('no profile is current', { hint: (svcctl) => `choose one with "${svcctl} config use-profile NAME"` });
  invocation.out(name);
}

async function view(invocation: Invocation): Promise<void> {
  const file = await readProfiles(invocation.terminal.env);
  invocation.out(`# ${profilesPath(invocation.terminal.env)}`, yamlText(file));
}
