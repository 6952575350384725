import { ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { ToolCallError } from './model-tools/call-tool.ts';
import { loadTools } from './model-tools/load-tools.ts';
import type { ModelTool, SchemaProfile, ToolClient, ToolSelection } from './model-tools/load-tools.ts';

// The entry `@fairlead/sdk/langchain` of the published package.
export type { SchemaProfile, ToolClient, ToolSelection };

/** How tools are shown to the model. */
export interface LangChainToolOptions {
  /** The dialect of the input schemas: that of the model. Default: none. */
  readonly schemaProfile?: SchemaProfile | undefined;
}

/**
 * The tools of a selection for LangChain.js: the `tools` of agents and of `model.bindTools`. A call returns a message with the
 * tool's output as JSON, and the ExecutionResult as its `artifact`. A failed call returns a message of status `error` with the
 * reason; if it was called with inputs instead of a tool call, it rejects with that reason. Rejects as `loadTools` does.
 */
export async function langChainTools(
  client: ToolClient,
  selection: ToolSelection,
  { schemaProfile }: LangChainToolOptions = {},
): Promise<DynamicStructuredTool[]> {
  const tools = await loadTools(client, selection, schemaProfile);
  return tools.map(toolOf);
}

function toolOf({ name, description, inputSchema, call }: ModelTool): DynamicStructuredTool {
  return new DynamicStructuredTool({
    name,
    description,
    schema: inputSchema,
    responseFormat: 'content_and_artifact',
    func: async (inputs, _runManager, config) => {
      const outcome = await call(inputs, config?.signal);
      if (outcome.isSuccess) return [JSON.stringify(outcome.output), outcome.result];
      // The declared type omits `toolCall`, which `invoke` adds when it gets a tool call.
      const callId = (config as ToolRunnableConfig | undefined)?.toolCall?.id;
      if (callId === undefined) throw new ToolCallError(outcome.text, { cause: outcome.cause });
      const { text: content, result: artifact } = outcome;
      return [new ToolMessage({ status: 'error', content, name, tool_call_id: callId, artifact }), undefined];
    },
  });
}
