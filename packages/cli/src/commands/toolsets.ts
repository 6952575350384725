import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Approval, CreateToolsetRequest, Toolset } from '@fairlead/sdk';
import { parseExactly } from '../exact-json.ts';
import { collect, moment, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable, properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';

interface MemberOptions extends AccountOptions {
  readonly name?: string;
  readonly description?: string;
  readonly connection?: readonly number[];
  readonly tool?: readonly Tool[];
  readonly allTools?: boolean;
  readonly workflow?: readonly string[];
  readonly policy?: { readonly given: Policy };
}

type Tool = NonNullable<Toolset['tools']>[number];
type Policy = NonNullable<CreateToolsetRequest['policy']> | null;

const STATUSES: readonly Approval['status'][] = ['pending', 'approved', 'rejected', 'used', 'expired'];
const PAGE = 100;

/** `fairlead toolsets …` and `fairlead approvals …` */
export function addToolsets(program: Command, world: World): void {
  const toolsets = program
    .command('toolsets')
    .helpCommand(false)
    .description('manage the toolsets, which confine calls to some connections and tools');
  const signal = { signal: world.signal };

  accountOptions(toolsets.command('list'))
    .description('list the toolsets, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.toolsets.iterate({ top: PAGE }, signal));
      print(world, options, all, () => toolsetTable(all));
    });

  accountOptions(toolsets.command('get'))
    .description('show a toolset')
    .argument('<toolsetId>', 'the toolset', nonEmpty)
    .action(async (toolsetId: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const toolset = await client.toolsets.get(toolsetId, signal);
      print(world, options, toolset, () => toolsetProperties(toolset));
    });

  memberOptions(toolsets.command('create'))
    .description('create a toolset')
    .action(async (options: MemberOptions & { name: string }) => {
      const client = await accountClient(options, world);
      const toolset = await client.toolsets.create({ name: options.name, ...membersOf(options) }, signal);
      print(world, options, toolset, () => toolsetProperties(toolset));
    })
    .requiredOption('--name <name>', 'its name', nonEmpty);

  memberOptions(toolsets.command('update'))
    .description('change a toolset; a list replaces the former one')
    .argument('<toolsetId>', 'the toolset', nonEmpty)
    .option('--name <name>', 'another name', nonEmpty)
    .action(async (toolsetId: string, options: MemberOptions) => {
      const client = await accountClient(options, world);
      const change = { ...(options.name !== undefined && { name: options.name }), ...membersOf(options) };
      const toolset = await client.toolsets.update(toolsetId, change, signal);
      print(world, options, toolset, () => toolsetProperties(toolset));
    });

  accountOptions(toolsets.command('tools'))
    .description('list the tools that a toolset permits, by name')
    .argument('<toolsetId>', 'the toolset', nonEmpty)
    .action(async (toolsetId: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const tools = await collect(client.toolsets.iterateTools(toolsetId, { top: PAGE }, signal));
      print(world, options, tools, () =>
        table(tools, [
          { title: 'TOOL', value: ({ toolSlug }) => toolSlug },
          { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
          { title: 'NAME', value: (tool) => ('toolName' in tool ? tool.toolName : '') },
        ]),
      );
    });

  accountOptions(toolsets.command('delete'))
    .description('delete a toolset; its connections stay')
    .argument('<toolsetId>', 'the toolset', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (toolsetId: string, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Toolset ${toolsetId} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.toolsets.delete(toolsetId, signal);
      const deleted = { id: toolsetId, isDeleted: true };
      print(world, options, deleted, () => `Deleted toolset ${toolsetId}.\n`);
    });

  addApprovals(program, world);
}

function addApprovals(program: Command, world: World): void {
  const approvals = program
    .command('approvals')
    .helpCommand(false)
    .description('decide the calls that toolsets hold back until a person approves them');
  const signal = { signal: world.signal };

  accountOptions(approvals.command('list'))
    .description('list the approvals, newest first')
    .addOption(new Option('--status <status>', 'only those with this status').choices(STATUSES))
    .action(async (options: AccountOptions & { status?: Approval['status'] }) => {
      const client = await accountClient(options, world);
      const { status } = options;
      const query = { top: PAGE, ...(status !== undefined && { status }) };
      const all = await collect(client.toolsets.iterateApprovals(query, signal));
      print(world, options, all, () => approvalTable(all));
    });

  for (const decision of ['approve', 'reject'] as const) {
    accountOptions(approvals.command(decision))
      .description(decision === 'approve' ? 'let a call run once' : 'refuse a call')
      .argument('<approvalId>', 'the approval', nonEmpty)
      .action(async (approvalId: string, options: AccountOptions) => {
        const { toolsets } = await accountClient(options, world);
        const approval =
          decision === 'approve'
            ? await toolsets.approveCall(approvalId, signal)
            : await toolsets.rejectCall(approvalId, signal);
        print(world, options, approval, () => approvalTable([approval]));
      });
  }
}

function memberOptions(command: Command): Command {
  return accountOptions(command)
    .option('--description <text>', 'a description')
    .option('--connection <id>', 'a connection of the toolset; repeat it for more', connections)
    .option('--tool <application/tool>', 'a permitted tool; repeat it for more (default: all)', tools)
    .addOption(
      new Option('--all-tools', 'permit every tool of the connections’ applications').conflicts('tool'),
    )
    .option('--workflow <workflowToken>', 'a workflow of the toolset; repeat it for more', workflows)
    .option('--policy <json>', 'the policy, such as {"readOnly":true}; null: none', policy);
}

function membersOf({
  description,
  connection,
  tool,
  allTools,
  workflow,
  policy: policyChoice,
}: MemberOptions) {
  return {
    ...(description !== undefined && { description }),
    ...(connection && { connections: connection.map((connectionId) => ({ connectionId })) }),
    ...(tool && { tools: [...tool] }),
    ...(allTools === true && { tools: null }),
    ...(workflow && { workflows: workflow.map((workflowToken) => ({ workflowToken })) }),
    ...(policyChoice && { policy: policyChoice.given }),
  };
}

function connections(value: string, former: readonly number[] = []): readonly number[] {
  return [...former, recordId(value)];
}

function workflows(value: string, former: readonly string[] = []): readonly string[] {
  return [...former, nonEmpty(value)];
}

function tools(value: string, former: readonly Tool[] = []): readonly Tool[] {
  const [applicationSlug = '', toolSlug = '', ...more] = value.split('/');
  if (applicationSlug === '' || toolSlug === '' || more.length > 0)
    throw new InvalidArgumentError('Expected <application>/<tool>.');
  return [...former, { applicationSlug, toolSlug }];
}

/** In an object, because the library treats null as an empty text. */
function policy(value: string): { readonly given: Policy } {
  try {
    // The API validates the value.
    return { given: parseExactly(value) as Policy };
  } catch {
    throw new InvalidArgumentError('Expected JSON.');
  }
}

function toolsetTable(toolsets: readonly Toolset[]): string {
  return table(toolsets, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'CONNECTIONS', value: ({ connections: used }) => used.length },
    { title: 'TOOLS', value: ({ tools: toolNames }) => (toolNames === null ? 'all' : toolNames.length) },
  ]);
}

function toolsetProperties(toolset: Toolset): string {
  const { connections: used, tools: toolNames, workflows: workflowTokens } = toolset;
  return properties([
    ['ID', toolset.id],
    ['Name', toolset.name],
    ['Description', toolset.description],
    ['Connections', used.map(({ connectionId }) => connectionId).join(', ')],
    [
      'Tools',
      toolNames?.map(({ applicationSlug, toolSlug }) => `${applicationSlug}/${toolSlug}`).join(', ') ?? 'all',
    ],
    ['Workflows', workflowTokens.map(({ workflowToken }) => workflowToken).join(', ')],
    ['Policy', toolset.policy === null ? null : JSON.stringify(toolset.policy)],
  ]);
}

function approvalTable(approvals: readonly Approval[]): string {
  return table(approvals, [
    { title: 'ID', value: ({ approvalId }) => approvalId },
    { title: 'STATUS', value: ({ status }) => status },
    { title: 'TOOL', value: ({ toolSlug }) => toolSlug },
    { title: 'END USER', value: ({ endUserId }) => endUserId },
    { title: 'FIELDS', value: ({ fields }) => printable(JSON.stringify(fields)) },
    { title: 'FILES', value: ({ files }) => files.map(fileLine).join(', ') },
    { title: 'EXPIRES', value: ({ expiresAt }) => moment(expiresAt) },
  ]);
}

function fileLine({ name, sizeBytes, sha256 }: Approval['files'][number]): string {
  return `${printable(name)} (${sizeBytes} bytes, SHA-256 ${sha256})`;
}
