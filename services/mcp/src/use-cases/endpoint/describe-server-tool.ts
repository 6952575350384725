import type { ServerTools } from '../../domain/server-tool.ts';
import { nameArgument } from '../../endpoint/tool-arguments.ts';
import type { ToolArguments } from '../../endpoint/tool-arguments.ts';
import { successResult } from '../../endpoint/tool-result.ts';
import type { ToolResult } from '../../endpoint/tool-result.ts';
import { requireServerTool } from './require-server-tool.ts';
import type { RequireServedToolDeps } from './require-server-tool.ts';

/** A tool's full list entry. NOT_FOUND with similar names if the server has no tool with that name. */
export async function describeServerTool(
  deps: RequireServedToolDeps,
  tools: ServerTools,
  args: ToolArguments,
): Promise<ToolResult> {
  const visibleTools = new Map([...tools].filter(([, { isHeld }]) => !isHeld));
  const tool = await requireServerTool(deps, visibleTools, nameArgument(args));
  return successResult(tool.listed.bytes, false);
}
