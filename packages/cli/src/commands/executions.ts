import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Execution } from '@fairlead/sdk';
import { jsonText, moment, print } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties } from '../table.ts';
import type { Column } from '../table.ts';
import type { World } from '../world.ts';
import { listOptions, printList } from './listing.ts';
import type { ListOptions } from './listing.ts';
import { accountOptions, nonEmpty, recordId, time } from './options.ts';
import type { AccountOptions } from './options.ts';

interface ExecutionFilter extends ListOptions {
  readonly tool?: string;
  readonly connection?: number;
  readonly failed?: boolean;
  readonly succeeded?: boolean;
  readonly from?: string;
  readonly to?: string;
}

const COLUMNS: readonly Column<Execution>[] = [
  { title: 'EXECUTION', value: ({ historyId }) => historyId },
  { title: 'TOOL', value: ({ toolSlug }) => toolSlug },
  { title: 'SUCCESS', value: ({ isSuccess }) => isSuccess },
  { title: 'CONNECTION', value: ({ connectionId }) => connectionId },
  { title: 'MS', value: ({ executionInfo }) => executionInfo.durationMs },
  { title: 'CREATED', value: ({ createdAt }) => moment(createdAt) },
  { title: 'ERROR', value: ({ errorMessage }) => errorMessage },
];

/** `fairlead executions …` */
export function addExecutions(program: Command, world: World): void {
  const executions = program
    .command('executions')
    .helpCommand(false)
    .description('read the history of tool executions, which is kept for 90 days');
  const signal = { signal: world.signal };

  listOptions(executions.command('list'))
    .description('list the executions, newest first')
    .option('--tool <toolSlug>', 'only those of this tool', nonEmpty)
    .option('--connection <connectionId>', 'only those through this connection', recordId)
    .option('--failed', 'only those that failed')
    .addOption(new Option('--succeeded', 'only those that did not fail').conflicts('failed'))
    .option('--from <time>', 'only those at this time or later', time)
    .option('--to <time>', 'only those before this time', time)
    .action(async (options: ExecutionFilter) => {
      const client = await accountClient(options, world);
      const { tool, connection, failed, succeeded, from, to } = options;
      const query = {
        ...(tool !== undefined && { toolSlug: tool }),
        ...(connection !== undefined && { connectionId: connection }),
        ...((failed === true || succeeded === true) && { isSuccess: succeeded === true }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      };
      await printList<Execution>(
        world,
        options,
        // Not by offset, which would shift while calls are added.
        ({ top, last }) =>
          client.tools.listExecutions(
            { ...query, top, ...(last !== undefined && { after: last.historyId }) },
            signal,
          ),
        COLUMNS,
      );
    });

  accountOptions(executions.command('show'))
    .description('show an execution with its inputs and its output, secrets masked')
    .argument('<historyId>', 'the execution', historyId)
    .action(async (id: number, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const execution = await client.tools.getExecution(id, signal);
      print(world, options, execution, () => executionText(execution));
    });
}

function executionText(execution: Execution): string {
  const { executionInfo: info } = execution;
  const head = properties([
    ['Execution', execution.historyId],
    ['Tool', `${execution.applicationSlug}/${execution.toolSlug}`],
    ['Success', execution.isSuccess],
    ['Error', execution.errorMessage],
    ['Connection', execution.connectionId],
    ['Chosen by', info.connectionResolution],
    ['User', info.userId],
    ['Source', info.source],
    ['MCP server', info.mcpServerName],
    ['Started', info.startedAt],
    ['Milliseconds', info.durationMs],
    ['Attempts', info.attempts],
  ]);
  return `${head}\nInputs:\n${jsonText(execution.fields)}\nOutput:\n${jsonText(execution.output)}`;
}

/** At most 2^53 − 1. */
function historyId(value: string): number {
  const id = Number(value);
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError('Expected the number of an execution.');
  return id;
}
