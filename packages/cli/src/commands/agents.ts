import { Option } from 'commander';
import type { Command } from 'commander';
import type { OnPremAgent } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, moment, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, positive, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';
import { saveFile } from './save-file.ts';
import type { CompletenessCheck, SavedFile } from './save-file.ts';

interface SettingOptions extends AccountOptions {
  readonly parallelTasks?: number;
  readonly pullPeriod?: number;
  readonly logLevel?: OnPremAgent['settings']['logLevel'];
}

interface FileOptions extends AccountOptions {
  readonly file: string;
  readonly force?: boolean;
}

interface TokenOptions extends AccountOptions {
  readonly tokenFile?: string;
  readonly force?: boolean;
}

interface ConfirmedOptions extends AccountOptions {
  readonly yes?: boolean;
}

const LOG_LEVELS: readonly OnPremAgent['settings']['logLevel'][] = [
  'Trace',
  'Debug',
  'Information',
  'Warning',
  'Error',
];
const PAGE = 100;
/** Every zip archive ends with a record of this length, which begins with these bytes. */
const ZIP_END_BYTES = 22;
const ZIP_END_MARK = Buffer.from([0x50, 0x4b, 0x05, 0x06]);

/** `fairlead agents …` */
export function addAgents(program: Command, world: World): void {
  const agents = program
    .command('agents')
    .helpCommand(false)
    .description('manage the on-prem agents, programs that run tools in networks of your own');
  const signal = { signal: world.signal };

  accountOptions(agents.command('list'))
    .description('list the agents, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.onPremAgents.iterate({ top: PAGE }, signal));
      print(world, options, all, () => agentTable(all));
    });

  accountOptions(agents.command('get'))
    .description('show an agent with its status and settings')
    .argument('<id>', 'the agent', recordId)
    .action(async (id: number, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const agent = await client.onPremAgents.get(id, signal);
      print(world, options, agent, () => agentProperties(agent));
    });

  tokenOptions(settingOptions(agents.command('create')))
    .description('create an agent; shows the token with which its program connects')
    .argument('<applicationSlug>', 'the application, such as onprem-database', nonEmpty)
    .requiredOption('--name <name>', 'its name', nonEmpty)
    .action(
      async (applicationSlug: string, options: SettingOptions & TokenOptions & { readonly name: string }) => {
        const client = await accountClient(options, world);
        const { token, ...agent } = await client.onPremAgents.create(
          { applicationSlug, name: options.name, settings: settingsOf(options) },
          signal,
        );
        const kept = await keepToken(world, options, token);
        print(world, options, { ...agent, ...kept.json }, () => agentProperties(agent) + kept.text);
      },
    );

  settingOptions(agents.command('update'))
    .description('change settings of an agent; omitted ones stay as they are')
    .argument('<id>', 'the agent', recordId)
    .action(async (id: number, options: SettingOptions) => {
      const client = await accountClient(options, world);
      const settings = settingsOf(options);
      if (Object.keys(settings).length === 0)
        throw new CliError(EXIT_CODES.usage, 'There is nothing to change: pass at least one setting.');
      const updated = await client.onPremAgents.update(id, { settings }, signal);
      const then = updated.appliedToAgent ? 'The agent has them.' : 'The agent gets them when it connects.';
      print(world, options, updated, () => `Stored the settings of agent ${id}. ${then}\n`);
    });

  tokenOptions(accountOptions(agents.command('token')))
    .description('show the token of an agent; the audit log says that you did')
    .argument('<id>', 'the agent', recordId)
    .action(async (id: number, options: TokenOptions) => {
      const client = await accountClient(options, world);
      const { token } = await client.onPremAgents.getToken(id, signal);
      const kept = await keepToken(world, options, token);
      print(world, options, kept.json, () => kept.text);
    });

  tokenOptions(accountOptions(agents.command('rotate')))
    .description('replace the token of an agent; it is offline until it is started with the new one')
    .argument('<id>', 'the agent', recordId)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: number, options: TokenOptions & ConfirmedOptions) => {
      const client = await accountClient(options, world);
      const question = `Agent ${id} stops until it is started with the new token.`;
      await confirm(world, { yes: options.yes === true, question, word: 'rotate' });
      const { token } = await client.onPremAgents.rotateToken(id, { confirm: true }, signal);
      const kept = await keepToken(world, options, token);
      print(world, options, kept.json, () => kept.text);
    });

  fileOptions(accountOptions(agents.command('logs')))
    .description('write the logs of an agent that is online to a zip archive')
    .argument('<id>', 'the agent', recordId)
    .action(async (id: number, options: FileOptions) => {
      const client = await accountClient(options, world);
      const content = await client.onPremAgents.downloadLogs(id, signal);
      const saved = await save(world, content, options, zipCheck());
      print(world, options, saved, () => `Wrote ${saved.file} (${saved.sizeBytes} bytes).\n`);
    });

  accountOptions(agents.command('delete'))
    .description('delete an agent; its program stops')
    .argument('<id>', 'the agent', recordId)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--force', 'even if a trigger, toolset or MCP server uses it')
    .action(async (id: number, options: ConfirmedOptions & { readonly force?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `On-prem agent ${id} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.onPremAgents.delete(id, { ...(options.force === true && { force: true }) }, signal);
      print(world, options, { id, isDeleted: true }, () => `Deleted on-prem agent ${id}.\n`);
    });
}

function settingOptions(command: Command): Command {
  return accountOptions(command)
    .option('--parallel-tasks <number>', 'tasks that it runs at the same time', positive)
    .option('--pull-period <seconds>', 'the longest wait of one of its requests', positive)
    .addOption(new Option('--log-level <level>', 'it logs this level and above').choices(LOG_LEVELS));
}

function settingsOf({ parallelTasks, pullPeriod, logLevel }: SettingOptions) {
  return {
    ...(parallelTasks !== undefined && { parallelTasks }),
    ...(pullPeriod !== undefined && { pullPeriodSeconds: pullPeriod }),
    ...(logLevel && { logLevel }),
  };
}

function tokenOptions(command: Command): Command {
  return command
    .option('--token-file <path>', 'write the token to this file, which only you can read', nonEmpty)
    .option('--force', 'overwrite an existing file');
}

function fileOptions(command: Command): Command {
  return command
    .requiredOption('--file <path>', 'the file to write; only you can read it', nonEmpty)
    .option('--force', 'overwrite an existing file');
}

/** Writes the token to the requested file; without a file it is part of the result. */
async function keepToken(world: World, { tokenFile, force }: TokenOptions, token: string) {
  if (tokenFile === undefined) return { json: { token }, text: properties([['Token', token]]) };
  const content = new Blob([token]).stream();
  const check = { add: () => undefined, isComplete: () => true };
  const saved = await save(world, content, { file: tokenFile, force }, check);
  return { json: { tokenFile: saved.file }, text: `Wrote the token to ${saved.file}.\n` };
}

function save(
  world: World,
  content: ReadableStream<Uint8Array>,
  { file, force }: { readonly file: string; readonly force?: boolean | undefined },
  check: CompletenessCheck,
): Promise<SavedFile> {
  return saveFile(content, { file, cwd: world.cwd, isReplacing: force === true, check });
}

/** Checks that the content ends as a zip archive does. */
function zipCheck(): CompletenessCheck {
  let end = Buffer.alloc(0);
  return {
    add(bytes) {
      end = Buffer.concat([end, bytes.subarray(-ZIP_END_BYTES)]).subarray(-ZIP_END_BYTES);
    },
    isComplete: () =>
      end.length === ZIP_END_BYTES && end.subarray(0, ZIP_END_MARK.length).equals(ZIP_END_MARK),
  };
}

function agentTable(agents: readonly OnPremAgent[]): string {
  return table(agents, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
    { title: 'STATUS', value: ({ status }) => status },
    { title: 'VERSION', value: ({ agentVersion }) => agentVersion },
    { title: 'PLATFORM', value: ({ platform }) => platform },
    { title: 'LAST SEEN', value: ({ lastSeenAt }) => moment(lastSeenAt) },
  ]);
}

function agentProperties(agent: OnPremAgent): string {
  const { parallelTasks, pullPeriodSeconds, logLevel } = agent.settings;
  return properties([
    ['Id', agent.id],
    ['Name', agent.name],
    ['Application', agent.applicationSlug],
    ['Status', agent.status],
    ['Parallel tasks', parallelTasks],
    ['Pull period', `${pullPeriodSeconds} s`],
    ['Log level', logLevel],
    ['Version', agent.agentVersion],
    ['Platform', agent.platform],
    ['Last seen', moment(agent.lastSeenAt)],
  ]);
}
