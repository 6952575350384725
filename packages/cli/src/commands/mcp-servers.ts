import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { CreateMcpServerRequest, McpServer } from '@fairlead/sdk';
import { collect, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, names, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';

interface MemberOptions extends AccountOptions {
  readonly name?: string;
  readonly description?: string;
  readonly connection?: readonly Connection[];
  readonly ownConnection?: readonly Connection[];
  readonly workflow?: readonly string[];
  /** False: none. */
  readonly toolset?: string | false;
  /** False: none. */
  readonly contextBudget?: number | false;
  readonly confirmDestructive?: boolean;
  readonly holdChangedTools?: boolean;
  readonly schemas?: McpServer['schemas'];
}

type Connection = NonNullable<CreateMcpServerRequest['connections']>[number];

const SCHEMAS: readonly McpServer['schemas'][] = ['portable', 'original'];
const PAGE = 100;

/** `fairlead mcp-servers …` */
export function addMcpServers(program: Command, world: World): void {
  const servers = program
    .command('mcp-servers')
    .helpCommand(false)
    .description('manage the endpoints that serve tools and workflows to MCP clients');
  const signal = { signal: world.signal };

  accountOptions(servers.command('list'))
    .description('list the MCP servers, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.mcpServers.iterate({ top: PAGE }, signal));
      print(world, options, all, () => serverTable(all));
    });

  accountOptions(servers.command('show'))
    .description('show an MCP server with its addresses')
    .argument('<mcpServerToken>', 'the server', nonEmpty)
    .action(async (token: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const server = await client.mcpServers.get(token, signal);
      print(world, options, server, () => serverProperties(server));
    });

  memberOptions(servers.command('create'))
    .description('create an MCP server, for administrators; it is active')
    .requiredOption('--name <name>', 'its name', nonEmpty)
    .option('--anonymous', 'admit clients without a credential; this cannot be changed later')
    .action(async (options: MemberOptions & { readonly name: string; readonly anonymous?: boolean }) => {
      const client = await accountClient(options, world);
      const isAnonymousAllowed = options.anonymous === true;
      const members = { ...membersOf(options), name: options.name, isAnonymousAllowed };
      const server = await client.administration.createMcpServer(members, signal);
      print(world, options, server, () => serverProperties(server));
    });

  memberOptions(servers.command('update'))
    .description('change an MCP server; a list replaces the former one')
    .argument('<mcpServerToken>', 'the server', nonEmpty)
    .option('--name <name>', 'another name', nonEmpty)
    .option('--active', 'serve clients')
    .option('--no-active', 'serve nobody, until it is active again')
    .option('--no-toolset', 'no toolset')
    .option('--no-context-budget', 'list all tools')
    .option('--no-confirm-destructive', 'call tools that may destroy something without a confirmation')
    .option('--no-hold-changed-tools', 'serve tools of other MCP servers as they change')
    .action(async (token: string, options: MemberOptions & { readonly active?: boolean }) => {
      const client = await accountClient(options, world);
      const { active: isActive } = options;
      const change = { ...membersOf(options), ...(isActive !== undefined && { isActive }) };
      const server = await client.mcpServers.update(token, change, signal);
      print(world, options, server, () => serverProperties(server));
    });

  accountOptions(servers.command('rotate'))
    .description('replace the token of an MCP server, for administrators; the former address is gone at once')
    .argument('<mcpServerToken>', 'the server', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (token: string, options: AccountOptions & { readonly yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Clients that have the former address of ${token} can no longer reach it.`;
      await confirm(world, { yes: options.yes === true, question, word: 'rotate' });
      const server = await client.administration.rotateMcpServerToken(token, signal);
      print(world, options, server, () => serverProperties(server));
    });

  accountOptions(servers.command('accept-changes'))
    .description('serve the changed tools of an MCP server as they are now, for administrators')
    .argument('<mcpServerToken>', 'the server', nonEmpty)
    .action(async (token: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const server = await client.administration.acceptChangedTools(token, signal);
      print(world, options, server, () => serverProperties(server));
    });

  accountOptions(servers.command('delete'))
    .description('delete an MCP server, for administrators; its connections and workflows stay')
    .argument('<mcpServerToken>', 'the server', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (token: string, options: AccountOptions & { readonly yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `MCP server ${token} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.administration.deleteMcpServer(token, signal);
      const deleted = { mcpServerToken: token, isDeleted: true };
      print(world, options, deleted, () => `Deleted MCP server ${token}.\n`);
    });
}

function memberOptions(command: Command): Command {
  return accountOptions(command)
    .option('--description <text>', 'a description')
    .option(
      '--connection <id[=tool,…]>',
      'a connection whose tools it serves, all of them or these; repeat it for more',
      connections,
    )
    .option(
      '--own-connection <id[=tool,…]>',
      'the same, but each user calls the tools with a connection of their own to the same application',
      connections,
    )
    .option('--workflow <workflowToken>', 'a workflow that it serves; repeat it for more', workflows)
    .option('--toolset <toolsetId>', 'every call runs as with this toolset', nonEmpty)
    .option(
      '--context-budget <tokens>',
      'list tools that search and call the others, if the whole list takes more tokens',
      tokens,
    )
    .option('--confirm-destructive', 'a person confirms each call of a tool that may destroy something')
    .option('--hold-changed-tools', 'hold tools of other MCP servers that change, until that is accepted')
    .addOption(new Option('--schemas <form>', 'the input schemas that clients see').choices(SCHEMAS));
}

function membersOf(options: MemberOptions) {
  const { name, description, connection, ownConnection, workflow } = options;
  const { toolset, contextBudget, confirmDestructive, holdChangedTools, schemas } = options;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...((connection ?? ownConnection) && { connections: entriesOf(options) }),
    ...(workflow && { workflows: workflow.map((workflowToken) => ({ workflowToken })) }),
    ...(toolset !== undefined && { toolsetId: toolset === false ? null : toolset }),
    ...(contextBudget !== undefined && { contextBudget: contextBudget === false ? null : contextBudget }),
    ...(confirmDestructive !== undefined && { confirmDestructive }),
    ...(holdChangedTools !== undefined && { holdChangedTools }),
    ...(schemas && { schemas }),
  };
}

function entriesOf({ connection = [], ownConnection = [] }: MemberOptions): Connection[] {
  return [...connection, ...ownConnection.map((entry) => ({ ...entry, identity: 'user' as const }))];
}

function connections(value: string, former: readonly Connection[] = []): readonly Connection[] {
  const [id = '', tools, ...more] = value.split('=');
  if (more.length > 0) throw new InvalidArgumentError('Expected <id> or <id>=<tool>,<tool>.');
  return [...former, { connectionId: recordId(id), ...(tools !== undefined && { tools: names(tools) }) }];
}

function tokens(value: string): number {
  if (!/^[1-9]\d{0,9}$/.test(value)) throw new InvalidArgumentError('Expected a number of tokens from 1.');
  return Number(value);
}

function workflows(value: string, former: readonly string[] = []): readonly string[] {
  return [...former, nonEmpty(value)];
}

function serverTable(servers: readonly McpServer[]): string {
  return table(servers, [
    { title: 'TOKEN', value: ({ mcpServerToken }) => mcpServerToken },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ACTIVE', value: ({ isActive }) => isActive },
    { title: 'ANONYMOUS', value: ({ isAnonymousAllowed }) => isAnonymousAllowed },
    { title: 'CONNECTIONS', value: ({ connections: served }) => served.length },
    { title: 'WORKFLOWS', value: ({ workflows: served }) => served.length },
  ]);
}

function serverProperties(server: McpServer): string {
  return properties([
    ['Token', server.mcpServerToken],
    ['Name', server.name],
    ['Description', server.description],
    ['Address', server.url],
    ['Address for OAuth', server.oauthUrl],
    ['Active', server.isActive],
    ['Anonymous', server.isAnonymousAllowed],
    ['Connections', server.connections.map(connectionText).join('; ')],
    ['Workflows', server.workflows.map(({ workflowToken }) => workflowToken).join(', ')],
    ['Toolset', server.toolsetId],
    ['Context budget', server.contextBudget],
    ['Confirms destructive calls', server.confirmDestructive],
    ['Holds changed tools', server.holdChangedTools],
    ['Changed tools', server.changedTools.map(changedToolText).join('; ')],
    ['Schemas', server.schemas],
  ]);
}

function connectionText({
  connectionId,
  applicationSlug,
  tools,
  identity,
}: McpServer['connections'][number]): string {
  const served = tools === null ? 'all tools' : tools.join(', ') || 'no tools';
  const owners = identity === 'user' ? '; each user has their own connection' : '';
  return `${connectionId} (${applicationSlug}: ${served}${owners})`;
}

function changedToolText({
  applicationSlug,
  toolSlug,
  changedAt,
}: McpServer['changedTools'][number]): string {
  return `${applicationSlug}/${toolSlug} (since ${changedAt})`;
}
