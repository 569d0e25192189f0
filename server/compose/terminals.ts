// Terminals of a server: what a shell gets, and the reasons why there is none.
import { delimiter } from 'node:path';
import { tmpdir } from 'node:os';
import type { AuthService } from '../auth/auth.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { svcctlProgram } from '../installation.ts';
import { overlay } from '../overlay.ts';
import type { Identity } from '../registry/registry.ts';
import { shellEnvironment, shellProgram } from '../terminal/environment.ts';
import { loadPty, type SpawnPty, type TerminalSize } from '../terminal/pty.ts';
import { createCommandDirectory, type CommandDirectory } from '../terminal/svcctl-command.ts';
import { TerminalService, type TerminalEvent, type TerminalRequest } from '../terminal/terminals.ts';
import type { TerminalTokens } from '../terminal/tokens.ts';

const TERMINALS_OFF = 'Terminals are off on this server; it offers them when it starts with --enable-terminal';
const NO_ADDON =
  'Terminals need the native addon node-pty, which is not installed or does not load here; install it with npm and start the server again';

export interface TerminalParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly auth: () => Pick<AuthService, 'enabled'>;
  readonly tokens: TerminalTokens;
  /** Address of this process, bypassing proxies: its terminals' tokens are valid nowhere else. */
  readonly serverUrl: () => string;
  readonly onEvent: (event: TerminalEvent) => void;
}

export async function composeTerminals(parts: TerminalParts): Promise<TerminalService> {
  const { config, clock, onEvent } = parts;
  if (!config.enableTerminal) return new TerminalService({ clock, onEvent, open: { unavailable: TERMINALS_OFF } });
  const spawn = await loadPty();
  if (spawn === undefined) return new TerminalService({ clock, onEvent, open: { unavailable: NO_ADDON } });
  // The binary of the desktop app runs no program.
  const node = process.versions['electron'] === undefined ? process.execPath : undefined;
  const commands = await createCommandDirectory({ node, program: svcctlProgram() });
  const terminals = new TerminalService({
    clock,
    onEvent,
    open: (owner, request, size) => openShell({ ...parts, spawn, commands }, owner, { ...request, size }),
  });
  return withRemoval(terminals, commands);
}

function openShell(
  { config, auth, tokens, serverUrl, spawn, commands }: TerminalParts & { spawn: SpawnPty; commands: CommandDirectory },
  owner: Identity,
  { namespace, size }: TerminalRequest & { size: TerminalSize },
) {
  const { env: own } = config;
  const issued = auth().enabled() ? tokens.issue(owner) : undefined;
  const env = shellEnvironment(own, {
    serverUrl: serverUrl(),
    namespace,
    token: issued?.token,
    commands: commands.path,
    pathSeparator: delimiter,
  });
  const cwd = own['HOME'] || own['USERPROFILE'] || tmpdir();
  return { spawn, shell: { file: shellProgram(own, process.platform), cwd, env, size }, release: () => issued?.revoke() };
}

/** The directory of svcctl is kept until the last shell has ended. */
function withRemoval(terminals: TerminalService, commands: CommandDirectory): TerminalService {
  return overlay(terminals, {
    async stop() {
      await terminals.stop();
      await commands.remove();
    },
  });
}
