import type { Command } from 'commander';
import type { ListToolsItem, Tool } from '@fairlead/sdk';
import { expected } from '../inputs/gather-inputs.ts';
import { InputSchema } from '../inputs/input-schema.ts';
import { print } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { Column } from '../table.ts';
import type { World } from '../world.ts';
import { listOptions, printList } from './listing.ts';
import type { ListOptions } from './listing.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';
import { addRunTool } from './run-tool.ts';

interface ToolFilter extends ListOptions {
  readonly application?: string;
  readonly search?: string;
}

/** The options that choose between tools with the same slug. */
interface ToolOptions extends AccountOptions {
  readonly application?: string;
  readonly toolset?: string;
}

const COLUMNS: readonly Column<ListToolsItem>[] = [
  { title: 'TOOL', value: ({ toolSlug }) => toolSlug },
  { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
  { title: 'NAME', value: (tool) => ('toolName' in tool ? tool.toolName : '') },
  { title: 'DEPRECATED', value: (tool) => 'isDeprecated' in tool && tool.isDeprecated },
];

/** `fairlead tools …` */
export function addTools(program: Command, world: World): void {
  const tools = program
    .command('tools')
    .helpCommand(false)
    .description('browse the tools of applications, and run them');
  const signal = { signal: world.signal };

  listOptions(tools.command('list'))
    .description('list the tools by name, or by relevance with --search')
    .option('--application <slug>', 'only those of this application', nonEmpty)
    .option('--search <text>', 'only those that match this, by meaning', nonEmpty)
    .action(async (options: ToolFilter) => {
      const client = await accountClient(options, world);
      const { application, search } = options;
      const query = {
        ...(application !== undefined && { applicationSlug: application }),
        ...(search !== undefined && { search }),
      };
      await printList(
        world,
        options,
        ({ offset, top }) => client.tools.list({ ...query, offset, top }, signal),
        COLUMNS,
      );
    });

  accountOptions(tools.command('show'))
    .description('show a tool with its inputs; --json prints its JSON Schemas too')
    .argument('<toolSlug>', 'the tool', nonEmpty)
    .option('--application <slug>', 'the application, if several have a tool with this slug', nonEmpty)
    .option('--toolset <toolsetId>', 'the toolset whose workflow the tool is', nonEmpty)
    .action(async (toolSlug: string, options: ToolOptions) => {
      const client = await accountClient(options, world);
      const { application, toolset } = options;
      const which = {
        ...(application !== undefined && { applicationSlug: application }),
        ...(toolset !== undefined && { toolsetId: toolset }),
      };
      const tool = await client.tools.get(toolSlug, which, signal);
      print(world, options, tool, () => toolText(tool));
    });

  addRunTool(tools, world);
}

function toolText(tool: Tool): string {
  const input = new InputSchema(tool.inputSchema);
  const names = input.names(input.root);
  const required = new Set(input.required(input.root));
  const head = properties([
    ['Tool', tool.toolSlug],
    ['Name', tool.toolName],
    ['Application', `${tool.applicationSlug} (${tool.applicationName})`],
    ['Description', tool.description],
    ['Version', tool.version],
    ['Deprecated', tool.isDeprecated],
    ['Filters', tool.supportsFilters ? `at most ${tool.maxFilters}` : null],
    ['Sorts', tool.supportsSort ? `at most ${tool.maxSorts}` : null],
    ['Pages', tool.supportsTopOffset ? '--top and --offset' : null],
  ]);
  const inputs = table(names, [
    { title: 'INPUT', value: (name) => name },
    { title: 'REQUIRED', value: (name) => required.has(name) },
    { title: 'VALUE', value: (name) => expected(input, { schema: input.member(input.root, name) ?? {} }) },
    {
      title: 'DESCRIPTION',
      value: (name) => input.text(input.member(input.root, name) ?? {}, 'description'),
    },
  ]);
  const example = names.filter((name) => required.has(name)).map((name) => `${name}=…`);
  return `${head}\n${inputs}\nRun it: ${['fairlead tools run', tool.toolSlug, ...example].join(' ')}\n`;
}
