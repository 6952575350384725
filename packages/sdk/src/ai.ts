import { dynamicTool, jsonSchema } from 'ai';
import type { ToolSet } from 'ai';
import { ToolCallError } from './model-tools/call-tool.ts';
import { loadTools } from './model-tools/load-tools.ts';
import type { SchemaProfile, ToolClient, ToolSelection } from './model-tools/load-tools.ts';

// The entry `@fairlead/sdk/ai` of the published package.
export type { SchemaProfile, ToolClient, ToolSelection };

/** How tools are shown to the model. */
export interface AiToolOptions {
  /** The dialect of the input schemas. Default: none, because most providers of the AI SDK adapt schemas themselves. */
  readonly schemaProfile?: SchemaProfile | undefined;
}

/**
 * The tools of a selection for the Vercel AI SDK: the `tools` of `generateText`, `streamText` and agents. A call returns the
 * tool's output; one that fails throws an error whose message the AI SDK hands to the model. Rejects as `loadTools` does.
 */
export async function aiTools(
  client: ToolClient,
  selection: ToolSelection,
  { schemaProfile }: AiToolOptions = {},
): Promise<ToolSet> {
  const tools = await loadTools(client, selection, schemaProfile);
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, call }) => [
      name,
      dynamicTool({
        description,
        // Inputs are not validated here: the API validates them, and its error says what is wrong.
        inputSchema: jsonSchema(inputSchema),
        ...(schemaProfile === 'openai-strict' && { strict: true }),
        execute: async (input, { abortSignal }) => {
          const outcome = await call(input, abortSignal);
          if (!outcome.isSuccess) throw new ToolCallError(outcome.text, { cause: outcome.cause });
          return outcome.output;
        },
      }),
    ]),
  );
}
