import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolCallError } from './model-tools/call-tool.ts';
import { loadTools } from './model-tools/load-tools.ts';
import type { ToolClient, ToolSelection } from './model-tools/load-tools.ts';

// The entry `@fairlead/sdk/anthropic` of the published package.
export type { ToolClient, ToolSelection };

/**
 * The tools of a selection for the Anthropic SDK: the `tools` of `client.beta.messages.toolRunner`. `messages.create` takes them as well;
 * its caller then calls `run`. A call returns the tool's output as JSON; one that fails throws an error whose message the runner hands to
 * the model. Rejects as `loadTools` does.
 */
export async function anthropicTools(
  client: ToolClient,
  selection: ToolSelection,
): Promise<BetaRunnableTool<unknown>[]> {
  const tools = await loadTools(client, selection, 'anthropic');
  return tools.map(({ name, description, inputSchema, call }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    parse: (inputs) => inputs,
    run: async (inputs, context) => {
      const outcome = await call(inputs, context?.signal);
      if (!outcome.isSuccess) throw new ToolCallError(outcome.text, { cause: outcome.cause });
      return JSON.stringify(outcome.output);
    },
  }));
}
