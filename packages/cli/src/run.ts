import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { z } from 'zod';
import { addAccounts } from './commands/accounts.ts';
import { addAgents } from './commands/agents.ts';
import { addApplications } from './commands/applications.ts';
import { addAuthProviders } from './commands/auth-providers.ts';
import { addCanary } from './commands/canary.ts';
import { addCompletion } from './commands/completion.ts';
import { addConnectSessions } from './commands/connect-sessions.ts';
import { addConnections } from './commands/connections.ts';
import { addContext } from './commands/context.ts';
import { addDestinations } from './commands/destinations.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addExecutions } from './commands/executions.ts';
import { addFiles } from './commands/files.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addMcpServers } from './commands/mcp-servers.ts';
import { addTools } from './commands/tools.ts';
import { addToolsets } from './commands/toolsets.ts';
import { addTriggers } from './commands/triggers.ts';
import { addUsers } from './commands/users.ts';
import { addWhoami } from './commands/whoami.ts';
import { addWorkflows } from './commands/workflows.ts';
import { candidates } from './completion/candidates.ts';
import { COMPLETE_COMMAND, FILES_MARK } from './completion/scripts.ts';
import { addExamples } from './examples.ts';
import { EXIT_CODES, EXIT_CODES_LINE, reportOf } from './failure.ts';
import type { ExitCode } from './failure.ts';
import type { World } from './world.ts';

/** Runs one command line; returns the exit code. Throws nothing: errors are printed on stderr. */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const program = programOf(world);
  if (argv[0] === COMPLETE_COMMAND) return complete(program, argv.slice(argv[1] === '--' ? 2 : 1), world);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    // Whatever error the abort caused, it is reported as the person's abort.
    if (world.signal.aborted) return EXIT_CODES.interrupted;
    // The library has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    const { exitCode, text, json } = reportOf(error);
    world.err.write(argv.includes('--json') ? `${JSON.stringify({ error: json })}\n` : `fairlead: ${text}\n`);
    return exitCode;
  }
}

/** The commands, with their options and help. */
export function programOf(world: World): Command {
  const program = new Command('fairlead')
    .description('The command line of Fairlead.')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'fairlead: ')),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(--help tells more)')
    .helpCommand(false)
    .addHelpText('after', `\n${EXIT_CODES_LINE}`);
  const add = [
    addLogin,
    addLogout,
    addWhoami,
    addUsers,
    addKeys,
    addApplications,
    addTools,
    addExecutions,
    addConnections,
    addAgents,
    addAuthProviders,
    addConnectSessions,
    addToolsets,
    addWorkflows,
    addMcpServers,
    addFiles,
    addTriggers,
    addDestinations,
    addEvents,
    addAccounts,
    addCanary,
    addDoctor,
    addContext,
    addCompletion,
  ];
  for (const command of add) command(program, world);
  addExamples(program);
  return program;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function complete(program: Command, words: readonly string[], world: World): ExitCode {
  const found = candidates(program, words);
  if (found.kind === 'files') world.out.write(`${FILES_MARK}\n`);
  else for (const { word, description } of found.words) world.out.write(`${word}\t${description}\n`);
  return EXIT_CODES.ok;
}
