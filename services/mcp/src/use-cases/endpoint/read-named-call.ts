import { validationError } from '@fairlead/errors/api-error';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import type { ServerTool, ServerTools } from '../../domain/server-tool.ts';
import { argumentIssue, nameArgument } from '../../endpoint/tool-arguments.ts';
import type { ToolArguments } from '../../endpoint/tool-arguments.ts';
import { requireServerTool } from './require-server-tool.ts';
import type { RequireServedToolDeps } from './require-server-tool.ts';

/** A call of a tool by name. */
export interface NamedCall {
  readonly tool: ServerTool;
  readonly fields: ToolArguments;
}

/** The call inside a call of call_tool. NOT_FOUND with similar names if the server has no tool with that name. */
export async function readNamedCall(
  deps: RequireServedToolDeps,
  tools: ServerTools,
  args: ToolArguments,
): Promise<NamedCall> {
  const tool = await requireServerTool(deps, tools, nameArgument(args));
  const { arguments: inputs } = args;
  const members = inputs === undefined ? new Map<string, Uint8Array>() : objectSlices(inputs);
  if (members === undefined) throw validationError(argumentIssue('arguments', 'must be an object'));
  return { tool, fields: Object.fromEntries(members) };
}
