import { pathToFileURL } from 'node:url';
import { isHealthy } from './healthcheck.ts';
import { listenAddress, replicaAddress } from './own-address.ts';
import { COMMAND_LINE, programOf, scriptOf } from './programs.ts';

const DEFAULT_PORT = '8080';

const USAGE = `usage: SERVICE=<name> node deploy/docker/main.ts [command]
  (no command)               starts the program
  healthcheck                exit code 0 if the program in this container is ready
  init-secrets …             generates the secrets of an installation
  init-replica-set …         makes a mongod a replica set of one
  migrate contract | restored [--yes]
                             prints what this release removes from the service's database, or what one restored from a backup
                             needs; --yes does it
  data-keys status | replace --yes
                             prints which keys wrap the service's data keys, or requests new data keys
  canary …                   watches and steers canaries, as the command line does (canary --help)
  seed --file <path>         with SERVICE=identity: two accounts and their API keys, kept in the file
`;

/** Service scripts that are commands. */
const SCRIPTS: Readonly<Record<string, string>> = {
  migrate: 'migrate.ts',
  'data-keys': 'data-keys.ts',
  seed: 'seed.ts',
};

/**
 * Runs one command of the container. Only its own modules are loaded, because health checks are frequent. A failure is one line on stderr
 * and exit code 1.
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<void> {
  const [command, ...rest] = args;
  const name = env['SERVICE'];
  try {
    const script = SCRIPTS[command ?? ''];
    if (command === undefined || command.startsWith('-')) await startProgram(name, args, env);
    else if (script !== undefined) await runScript(scriptOf(name, script), rest);
    else if (command === 'canary') await runScript(COMMAND_LINE, args);
    else if (command === 'healthcheck') process.exitCode = await healthcheck(name, env['PORT']);
    else if (command === 'init-secrets') await (await import('./init-secrets.ts')).initSecrets(rest, env);
    else if (command === 'init-replica-set')
      await (await import('./init-replica-set.ts')).initReplicaSet(rest);
    else throw new Error(`unknown command ${command}\n${USAGE}`);
  } catch (error) {
    process.stderr.write(`fairlead: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function startProgram(
  name: string | undefined,
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<void> {
  const script = programOf(name);
  const { PORT = DEFAULT_PORT, POD_IP, HOST } = env;
  const address = replicaAddress(PORT, POD_IP);
  if (!env['REPLICA_URL'] && address !== undefined) env['REPLICA_URL'] = address;
  if (HOST) env['HOST'] = listenAddress(HOST, POD_IP);
  await runScript(script, args);
}

/** Runs a script in this process, as if it was node's command line argument. */
async function runScript(script: string, args: readonly string[]): Promise<void> {
  process.argv.splice(1, Infinity, script, ...args);
  await import(pathToFileURL(script).href);
}

async function healthcheck(name: string | undefined, port = DEFAULT_PORT): Promise<number> {
  programOf(name);
  return (await isHealthy(name ?? '', port)) ? 0 : 1;
}
