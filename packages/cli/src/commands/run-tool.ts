import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { FairleadError } from '@fairlead/sdk';
import type { ExecuteToolQuery, ExecuteToolRequest, Fairlead } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { gatherInputs } from '../inputs/gather-inputs.ts';
import type { Assignment } from '../inputs/gather-inputs.ts';
import { InputSchema } from '../inputs/input-schema.ts';
import { typedValue } from '../inputs/typed-value.ts';
import { jsonText, print, remark } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';
import { jsonInput } from './json-input.ts';
import { accountOptions, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';

type Filter = NonNullable<ExecuteToolRequest['filters']>[number];
type Sort = NonNullable<ExecuteToolRequest['sorts']>[number];

interface RunOptions extends AccountOptions {
  readonly application?: string;
  readonly connection?: number;
  readonly toolset?: string;
  readonly endUser?: string;
  readonly approval?: string;
  readonly dryRun?: boolean;
  readonly fields?: string;
  readonly filter?: readonly Filter[];
  readonly sort?: readonly Sort[];
  readonly top?: number;
  readonly offset?: number;
}

const OPERATORS: readonly Filter['operator'][] = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'startsWith',
  'isNull',
];

const INPUTS_HELP = `
Inputs get the type that the tool's schema gives them; text that reads as another permitted type is that type.
  name=Ada                 text, a number, true, false or null
  address.city=Paris       a member of an object
  tags='["a","b"]'         an array or an object as JSON
  file=@report.pdf         uploads a file of this machine; file=<fileId> or an address is passed on
Missing required inputs are asked for at a terminal. Secret inputs are asked for, or come from --fields.`;

/** `fairlead tools run`, a subcommand of `tools`. */
export function addRunTool(tools: Command, world: World): void {
  accountOptions(tools.command('run'))
    .description('run a tool and print its output; a failure at the vendor is exit code 1')
    .argument('<toolSlug>', 'the tool', nonEmpty)
    .argument('[inputs...]', 'its inputs as name=value', addAssignment)
    .option('--application <slug>', 'the application, if several have a tool with this slug', nonEmpty)
    .option(
      '--connection <connectionId>',
      'the connection (default: the toolset’s or the application’s default)',
      recordId,
    )
    .option('--toolset <toolsetId>', 'use only tools and connections of this toolset', nonEmpty)
    .option('--end-user <id>', 'use the connection of this customer of yours', nonEmpty)
    .option('--approval <approvalId>', 'the approval of this call', nonEmpty)
    .option('--dry-run', 'show what would be sent, with secrets masked, and send nothing')
    .option('--fields <file>', 'inputs as a JSON object; - for standard input. name=value replaces', nonEmpty)
    .option(
      '--filter <filter>',
      "only records that match, such as 'name contains Ada'; repeatable",
      addFilter,
    )
    .option('--sort <field>', 'sort by this field, or by <field>:desc; repeatable', addSort)
    .option('--top <count>', 'how many records to return', count)
    .option('--offset <index>', 'the first record to return, from 0', count)
    .addHelpText('after', INPUTS_HELP)
    .action(async (toolSlug: string, assignments: readonly Assignment[] | undefined, options: RunOptions) => {
      const client = await accountClient(options, world);
      const fields = await fieldsOf(client, world, { toolSlug, given: assignments ?? [], options });
      const params = { ...queryOf(options), ...bodyOf(options), fields };
      const result = await client.tools.execute(toolSlug, params, { signal: world.signal });
      print(world, options, result, () => (result.isSuccess ? jsonText(result.output) : ''));
      if (!result.isSuccess) {
        throw new CliError(EXIT_CODES.failed, printable(result.errorMessage ?? 'The vendor gave no reason.'));
      }
      if (options.json !== true && result.historyId !== null) {
        remark(world, `Execution ${result.historyId}: fairlead executions show ${result.historyId}`);
      }
    });
}

async function fieldsOf(
  client: Fairlead,
  world: World,
  call: { readonly toolSlug: string; readonly given: readonly Assignment[]; readonly options: RunOptions },
): Promise<Readonly<Record<string, unknown>>> {
  const { toolSlug, given, options } = call;
  const signal = { signal: world.signal };
  const { application, toolset } = options;
  const which = {
    ...(application !== undefined && { applicationSlug: application }),
    ...(toolset !== undefined && { toolsetId: toolset }),
  };
  const { inputSchema } = await client.tools.get(toolSlug, which, signal);
  return await gatherInputs(world, new InputSchema(inputSchema), {
    toolSlug,
    given,
    base: options.fields === undefined ? {} : await jsonInput(world, options.fields),
    fixedNames: async () => (toolset === undefined ? [] : await fixedNames(client, world, toolset, toolSlug)),
    fileInput: async (content, name) => {
      // A dry run uploads no file: it must not change anything.
      if (options.dryRun === true) {
        return { base64: Buffer.from(await content.arrayBuffer()).toString('base64'), name };
      }
      const { fileId } = await client.files.upload(content, { name }, signal);
      return { fileId };
    },
  });
}

/** The inputs that the toolset's policy sets. None if the caller may not read the toolset: the API then says what is missing. */
async function fixedNames(
  client: Fairlead,
  world: World,
  toolsetId: string,
  toolSlug: string,
): Promise<readonly string[]> {
  try {
    const { policy } = await client.toolsets.get(toolsetId, { signal: world.signal });
    return Object.keys(policy?.fixedFields[toolSlug] ?? {});
  } catch (error) {
    if (error instanceof FairleadError && error.status === 403) return [];
    throw error;
  }
}

function queryOf(options: RunOptions): ExecuteToolQuery {
  const { application, connection, toolset, endUser, approval, dryRun } = options;
  return {
    ...(application !== undefined && { applicationSlug: application }),
    ...(connection !== undefined && { connectionId: connection }),
    ...(toolset !== undefined && { toolsetId: toolset }),
    ...(endUser !== undefined && { endUserId: endUser }),
    ...(approval !== undefined && { approvalId: approval }),
    ...(dryRun === true && { dryRun }),
  };
}

function bodyOf({ filter, sort, top, offset }: RunOptions): ExecuteToolRequest {
  return {
    ...(filter && { filters: [...filter] }),
    ...(sort && { sorts: [...sort] }),
    ...(top !== undefined && { top }),
    ...(offset !== undefined && { offset }),
  };
}

function addAssignment(argument: string, former: readonly Assignment[] | undefined): readonly Assignment[] {
  const [, name, text] = /^([^=\s]+)=(.*)$/s.exec(argument) ?? [];
  if (name === undefined || text === undefined)
    throw new InvalidArgumentError('Expected a name, = and a value.');
  return [...(former ?? []), { name, text }];
}

function addFilter(argument: string, former: readonly Filter[] | undefined): readonly Filter[] {
  const [, field, name, text] = /^(\S+) (\S+) (.*)$/s.exec(argument) ?? [];
  const operator = OPERATORS.find((one) => one === name);
  if (field === undefined || text === undefined || operator === undefined) {
    throw new InvalidArgumentError(`Expected a field, one of ${OPERATORS.join(', ')}, and a value.`);
  }
  return [...(former ?? []), { field, operator, value: typedValue(new Set(), text)?.value }];
}

function addSort(text: string, former: readonly Sort[] | undefined): readonly Sort[] {
  const [, field, direction = 'asc'] = /^([^:\s]+)(?::(asc|desc))?$/.exec(text) ?? [];
  if (field === undefined || (direction !== 'asc' && direction !== 'desc'))
    throw new InvalidArgumentError('Expected a field, which :asc or :desc may follow.');
  return [...(former ?? []), { field, direction }];
}

function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Expected a number from 0.');
  return Number(value);
}
