import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { LoggingLevel, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { ASKING_TOOLS } from './asking-tools.ts';
import type { SuiteTool } from './asking-tools.ts';
import { RESULTS, SCHEMA_2020_12, textResult } from './contents.ts';
import { TASK_TOOLS } from './task-tools.ts';

/** Notifies open streams that a list has changed. */
export interface Changes {
  toolsChanged(): void;
  promptsChanged(): void;
}

const NO_INPUT = { type: 'object', properties: {} };
const named = (...names: readonly string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

/** Inputs of tools that have any. */
const INPUTS: ReadonlyMap<string, object> = new Map([
  ['test_sampling', named('prompt')],
  ['test_elicitation', named('message')],
  ['greet', named('name')],
  ['json_schema_2020_12_tool', SCHEMA_2020_12],
  [
    'test_x_mcp_header',
    {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
    },
  ],
]);

async function report({ mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  for (const progress of [0, 50, 100])
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
    });
}

async function log({ mcpReq }: ServerContext): Promise<void> {
  const level: LoggingLevel = 'info';
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
    await mcpReq.log(level, data);
}

/** Adds the tools that the suite calls. */
export function addTools(mcp: McpServer, changes: Changes): void {
  const tools = new Map<string, SuiteTool>([
    ...[...RESULTS].map(([name, result]): [string, SuiteTool] => [name, () => result]),
    ...ASKING_TOOLS,
    ...[...TASK_TOOLS].map(([name, { call }]): [string, SuiteTool] => [name, call]),
    ['test_tool_with_logging', after(log)],
    ['test_logging_tool', after(log)],
    ['test_tool_with_progress', after(report)],
    ['test_streaming_elicitation', after(report)],
    ['test_trigger_tool_change', after(() => changes.toolsChanged())],
    ['test_trigger_prompt_change', after(() => changes.promptsChanged())],
    ['test_x_mcp_header', ({ region }) => textResult(`region=${String(region)}`)],
    ['json_schema_2020_12_tool', (args) => textResult(JSON.stringify(args))],
    ['greet', ({ name }) => textResult(`Hello, ${String(name)}!`)],
  ]);
  for (const [name, call] of tools)
    mcp.registerTool(
      name,
      {
        description: `The tool ${name} of the suite.`,
        inputSchema: fromJsonSchema<Record<string, unknown>>({ ...NO_INPUT, ...INPUTS.get(name) }),
      },
      call,
    );
}

/** A tool with a side effect, which its result describes. */
function after(act: (context: ServerContext) => Promise<void> | void): SuiteTool {
  return async (_args, context) => {
    await act(context);
    return textResult('Done.');
  };
}
