import { randomUUID } from 'node:crypto';

/** A text, or a list of parts with texts. */
type Content = string | readonly Part[];

interface Part {
  readonly type?: string;
  readonly text?: string;
  /** The output of a tool, in a part of type `tool_result`. */
  readonly content?: Content;
}

interface Message {
  readonly role?: string;
  readonly type?: string;
  readonly content?: Content;
  readonly output?: Content;
}

interface InputSchema {
  readonly type?: string;
  readonly required?: readonly string[];
}

/** A tool in the form of chat completions (`function`), responses, or messages (`input_schema`). */
export interface ToolDeclaration {
  readonly name?: string;
  readonly strict?: boolean;
  readonly parameters?: InputSchema;
  readonly input_schema?: InputSchema;
  readonly function?: ToolDeclaration;
}

/** The members of a request that the script reads. */
export interface ModelRequest {
  readonly stream?: boolean;
  readonly tools?: readonly ToolDeclaration[];
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
}

/** The scripted model's answers, by API path. */
export const DIALECTS: Readonly<Record<string, (request: ModelRequest) => object>> = {
  '/v1/chat/completions': ({ tools = [], messages = [] }) => {
    const { role, content = '' } = messages.at(-1) ?? {};
    const call = role === 'tool' ? undefined : callOf(tools[0]?.function, content);
    const message =
      call === undefined
        ? { content: said(content) }
        : { content: null, tool_calls: [{ id: `call_${randomUUID()}`, type: 'function', function: call }] };
    return {
      id: randomUUID(),
      object: 'chat.completion',
      created: 1,
      model: 'scripted',
      choices: [
        {
          index: 0,
          finish_reason: call === undefined ? 'stop' : 'tool_calls',
          logprobs: null,
          message: { role: 'assistant', ...message },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  },
  '/v1/responses': ({ tools = [], input = [] }) => {
    const { type, output, content = '' } = input.at(-1) ?? {};
    const call = type === 'function_call_output' ? undefined : callOf(tools[0], content);
    const text = { type: 'output_text', text: said(output ?? content), annotations: [] };
    const item =
      call === undefined
        ? { type: 'message', id: randomUUID(), role: 'assistant', content: [text] }
        : { type: 'function_call', id: `fc_${randomUUID()}`, call_id: `call_${randomUUID()}`, ...call };
    return {
      id: randomUUID(),
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'scripted',
      output: [{ ...item, status: 'completed' }],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  },
  '/v1/messages': ({ tools = [], messages = [] }) => {
    const { content = '' } = messages.at(-1) ?? {};
    const result =
      typeof content === 'string' ? undefined : content.find(({ type }) => type === 'tool_result');
    // After a tool's output, the SDK sends the thread without the tools.
    const call = result === undefined ? callOf(tools[0], content) : undefined;
    const block =
      call === undefined
        ? { type: 'text', text: said(result?.content ?? content) }
        : {
            type: 'tool_use',
            id: `toolu_${randomUUID()}`,
            name: call.name,
            input: JSON.parse(call.arguments) as unknown,
          };
    return {
      id: randomUUID(),
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [block],
      stop_reason: call === undefined ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  },
};

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** The tool call for a user's message, with the inputs as JSON; undefined if there is no tool. */
function callOf(
  tool: ToolDeclaration | undefined,
  message: Content,
): { readonly name: string | undefined; readonly arguments: string } | undefined {
  if (tool === undefined) return undefined;
  const [, name = 'Ada Lovelace'] = /\badd (.+?) to\b/i.exec(textOf(message)) ?? [];
  const { required = [] } = tool.parameters ?? tool.input_schema ?? {};
  const others = required.filter((input) => input !== 'name').map((input) => [input, null]);
  return { name: tool.name, arguments: JSON.stringify({ ...Object.fromEntries(others), name }) };
}

/** The model's reply to a tool's output, or to a message if there is no tool. */
function said(output: Content): string {
  const text = textOf(output);
  // A tool of the sandbox CRM returns a record with a name.
  const [, name] = /^\{.*"name": ?"([^"]+)"/s.exec(text) ?? [];
  return name === undefined ? text : `Created ${name}.`;
}
