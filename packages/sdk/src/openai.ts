import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction';
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import { loadTools } from './model-tools/load-tools.ts';
import type { ModelTool, ToolClient, ToolSelection } from './model-tools/load-tools.ts';

// The entry `@fairlead/sdk/openai` of the published package.
export type { ToolClient, ToolSelection };

/** How tools are shown to the model. */
export interface OpenAiToolOptions {
  /** Whether inputs must match their schema exactly (Structured Outputs). Default true. */
  readonly isStrict?: boolean | undefined;
}

/**
 * The tools of a selection for Chat Completions: the `tools` of `client.chat.completions.runTools`. A call gives the model the
 * tool's output as JSON, or words that say why there is none. Rejects as `loadTools` does.
 */
export async function openAiTools(
  client: ToolClient,
  selection: ToolSelection,
  { isStrict = true }: OpenAiToolOptions = {},
): Promise<RunnableToolFunctionWithParse<Record<string, unknown>>[]> {
  const tools = await loadTools(client, selection, isStrict ? 'openai-strict' : undefined);
  return tools.map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      strict: isStrict,
      parse: parseInputs,
      function: (inputs, runner) => answer(tool, inputs, runner.controller.signal),
    },
  }));
}

/** The tools of a selection for the Responses API. */
export interface ResponsesTools {
  /** The `tools` of `client.responses.create`. */
  readonly tools: FunctionTool[];
  /** Executes a `function_call` of a response: the item of the next request's `input` that answers it. */
  readonly run: (
    call: ResponseFunctionToolCall,
    options?: { readonly signal?: AbortSignal | undefined },
  ) => Promise<ResponseInputItem.FunctionCallOutput>;
}

/** As `openAiTools`, for the Responses API, whose loop is the program's own. */
export async function openAiResponsesTools(
  client: ToolClient,
  selection: ToolSelection,
  { isStrict = true }: OpenAiToolOptions = {},
): Promise<ResponsesTools> {
  const tools = await loadTools(client, selection, isStrict ? 'openai-strict' : undefined);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: isStrict,
    })),
    run: async ({ call_id: callId, name, arguments: text }, { signal } = {}) => ({
      type: 'function_call_output',
      call_id: callId,
      output: await outputOf(byName.get(name), text, signal),
    }),
  };
}

async function outputOf(
  tool: ModelTool | undefined,
  text: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (tool === undefined) return 'There is no such tool.';
  let inputs: Record<string, unknown>;
  try {
    inputs = parseInputs(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return await answer(tool, inputs, signal);
}

async function answer(tool: ModelTool, inputs: unknown, signal: AbortSignal | undefined): Promise<string> {
  const outcome = await tool.call(inputs, signal);
  return outcome.isSuccess ? JSON.stringify(outcome.output) : outcome.text;
}

/** The inputs that a model wrote; an empty text means no inputs. Throws a SyntaxError, whose message the model reads. */
function parseInputs(text: string): Record<string, unknown> {
  try {
    // Inputs that are not an object are refused when the tool is called.
    return text.trim() === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    throw new SyntaxError('The inputs are not valid JSON.');
  }
}
