import type { Command } from 'commander';
import type { CreateWorkflowRequest, UpdateWorkflowRequest, Workflow } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, jsonText, moment, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable, properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { jsonInput } from './json-input.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';

interface FileOptions extends AccountOptions {
  readonly file: string;
}

interface RunOptions extends AccountOptions {
  readonly toolset: string;
  readonly file?: string;
  readonly dryRun?: boolean;
}

/** The application of every workflow. */
const WORKFLOW_APPLICATION = 'workflow';
const PAGE = 100;

/** `fairlead workflows …` */
export function addWorkflows(program: Command, world: World): void {
  const workflows = program
    .command('workflows')
    .helpCommand(false)
    .description('manage the workflows, sequences of tool calls that run as one tool');
  const signal = { signal: world.signal };

  accountOptions(workflows.command('list'))
    .description('list the workflows, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.workflows.iterate({ top: PAGE }, signal));
      print(world, options, all, () => workflowTable(all));
    });

  accountOptions(workflows.command('get'))
    .description('show a workflow; with --json it can be edited and given to update')
    .argument('<workflowToken>', 'the workflow', nonEmpty)
    .action(async (workflowToken: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const workflow = await client.workflows.get(workflowToken, signal);
      print(world, options, workflow, () => workflowProperties(workflow));
    });

  fileOptions(workflows.command('create'))
    .description('create a workflow from a file of JSON: name, slug, steps, and what else it has')
    .action(async (options: FileOptions) => {
      const client = await accountClient(options, world);
      // The API validates the value.
      const request = (await jsonInput(world, options.file)) as CreateWorkflowRequest &
        Record<string, unknown>;
      const workflow = await client.workflows.create(request, signal);
      print(world, options, workflow, () => workflowProperties(workflow));
    });

  fileOptions(workflows.command('update'))
    .description('change a workflow; members that the file leaves out stay as they are')
    .argument('<workflowToken>', 'the workflow', nonEmpty)
    .action(async (workflowToken: string, options: FileOptions) => {
      const client = await accountClient(options, world);
      // The API validates the value.
      const change = (await jsonInput(world, options.file)) as UpdateWorkflowRequest;
      const workflow = await client.workflows.update(workflowToken, change, signal);
      print(world, options, workflow, () => workflowProperties(workflow));
    });

  accountOptions(workflows.command('run'))
    .description('run a workflow with the connections of a toolset; a failed run is exit code 1')
    .argument('<workflowToken>', 'the workflow', nonEmpty)
    .requiredOption('--toolset <toolsetId>', 'a toolset that holds the workflow', nonEmpty)
    .option('--file <path>', 'its inputs, a JSON object; - for standard input (default: none)', nonEmpty)
    .option('--dry-run', 'show what its steps would send, and run none')
    .action(async (workflowToken: string, options: RunOptions) => {
      const client = await accountClient(options, world);
      const { slug } = await client.workflows.get(workflowToken, signal);
      const result = await client.tools.execute(
        slug,
        {
          applicationSlug: WORKFLOW_APPLICATION,
          toolsetId: options.toolset,
          fields: options.file === undefined ? {} : await jsonInput(world, options.file),
          ...(options.dryRun === true && { dryRun: true }),
        },
        signal,
      );
      print(world, options, result, () => (result.isSuccess ? jsonText(result.output) : ''));
      if (!result.isSuccess) {
        throw new CliError(EXIT_CODES.failed, printable(result.errorMessage ?? 'The workflow failed.'));
      }
    });

  accountOptions(workflows.command('delete'))
    .description('delete a workflow; runs that are under way go on')
    .argument('<workflowToken>', 'the workflow', nonEmpty)
    .option('--force', 'remove it from the toolsets and MCP servers that use it')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (workflowToken: string, options: AccountOptions & { force?: boolean; yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Workflow ${workflowToken} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      const force = options.force === true ? { force: true } : {};
      await client.workflows.delete(workflowToken, force, signal);
      const deleted = { workflowToken, isDeleted: true };
      print(world, options, deleted, () => `Deleted workflow ${workflowToken}.\n`);
    });
}

function fileOptions(command: Command): Command {
  return accountOptions(command).requiredOption(
    '--file <path>',
    'the file of JSON; - for standard input',
    nonEmpty,
  );
}

function workflowTable(workflows: readonly Workflow[]): string {
  return table(workflows, [
    { title: 'TOKEN', value: ({ workflowToken }) => workflowToken },
    { title: 'SLUG', value: ({ slug }) => slug },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'STEPS', value: ({ steps }) => steps.length },
    { title: 'UPDATED', value: ({ updatedAt }) => moment(updatedAt) },
  ]);
}

function workflowProperties(workflow: Workflow): string {
  return properties([
    ['Token', workflow.workflowToken],
    ['Slug', workflow.slug],
    ['Name', workflow.name],
    ['Description', workflow.description],
    ['Steps', workflow.steps.map(({ id, toolSlug }) => `${id} (${toolSlug})`).join(', ')],
    ['Updated', moment(workflow.updatedAt)],
  ]);
}
