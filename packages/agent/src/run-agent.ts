import { ConfigError } from '@fairlead/service-kit/config';
import { buildAgent, logConfiguration } from './app.ts';
import { ReplacedError, TokenRefusedError } from './channel/channel-errors.ts';
import { checkConnection } from './check/check.ts';
import { parseArguments, USAGE } from './config/arguments.ts';
import type { Arguments } from './config/arguments.ts';
import { loadAgentConfig } from './config/config.ts';
import type { AgentConfig } from './config/config.ts';
import { createAgentLog } from './logs/agent-log.ts';
import { RotatingFile } from './logs/rotating-file.ts';
import { PLATFORM, VERSION } from './version.ts';

const EXIT_FAILED = 1;
const EXIT_CONFIGURATION = 2;
const EXIT_TOKEN_REFUSED = 77;
const EXIT_REPLACED = 78;

/** The process's arguments, environment and output. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

/** Runs the program with these arguments; resolves to its exit code. */
export async function runAgent(argv: readonly string[], world: World): Promise<number> {
  let args: Arguments;
  try {
    args = parseArguments(argv);
  } catch (error) {
    world.err(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return EXIT_CONFIGURATION;
  }
  if (args.command === 'help') {
    world.out(USAGE);
    return 0;
  }
  if (args.command === 'version') {
    world.out(`${VERSION} ${PLATFORM}\n`);
    return 0;
  }
  let config: AgentConfig;
  try {
    config = loadAgentConfig(args, world.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    world.err(`The configuration is not valid.\n${error.message}\n`);
    return EXIT_CONFIGURATION;
  }
  if (args.command === 'check') return (await checkConnection(config, world.out)) ? 0 : EXIT_FAILED;
  return await runConfigured(config, world);
}

async function runConfigured(config: AgentConfig, world: World): Promise<number> {
  let file: RotatingFile;
  try {
    file = new RotatingFile(config.logs);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    world.err(`The configuration is not valid.\nlogs.directory: ${reason}\n`);
    return EXIT_CONFIGURATION;
  }
  const agentLog = createAgentLog({
    secrets: config.secrets,
    write(line) {
      world.out(line);
      file.write(line);
    },
  });
  const { log } = agentLog;
  logConfiguration(config, log);
  // An error's text may contain a secret, which the log masks.
  const onDefect = (error: unknown): void => {
    log.fatal({ err: error }, 'agent failed');
    process.exit(EXIT_FAILED);
  };
  process.once('uncaughtException', onDefect);
  try {
    await buildAgent(config, { ...agentLog, logPaths: () => file.paths() }).run(world.stop);
    log.info('agent has ended');
    return 0;
  } catch (error) {
    if (error instanceof TokenRefusedError) {
      log.error('the token belongs to no agent any more: give the agent its new token and start it again');
      return EXIT_TOKEN_REFUSED;
    }
    if (error instanceof ReplacedError) {
      log.error('another process runs with the same token, and takes the tasks of this agent');
      return EXIT_REPLACED;
    }
    log.fatal({ err: error }, 'agent failed');
    return EXIT_FAILED;
  } finally {
    process.off('uncaughtException', onDefect);
    file.close();
  }
}
