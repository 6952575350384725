import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** APIs of models, of OpenAI and of Anthropic, that answer by a script. */
export interface ScriptedModels {
  readonly url: string;
  /** The tools of every request that has any, as they were sent. */
  readonly offeredTools: readonly (readonly any[])[];
  close(): Promise<void>;
}

/**
 * Starts them. To a message of the user, a model calls its first tool with `name: "Ada Lovelace"`, and null for the other inputs
 * that the schema requires; of a tool's output it says the name that is in there, or all of it.
 */
export async function startScriptedModels(): Promise<ScriptedModels> {
  const offeredTools: any[][] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
      const body: any = JSON.parse(text);
      if (body.tools !== undefined) offeredTools.push(body.tools);
      const answer = DIALECTS[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer?.(body) ?? {}));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    offeredTools,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const DIALECTS: Readonly<Record<string, (body: any) => object>> = {
  '/v1/chat/completions': ({ tools, messages }) => {
    const { role, content } = messages.at(-1);
    const { name, parameters } = tools[0].function;
    const call = { name, arguments: JSON.stringify(inputsFor(parameters)) };
    const message =
      role === 'tool'
        ? { content: said(content) }
        : { content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] };
    const finish = role === 'tool' ? 'stop' : 'tool_calls';
    return {
      id: randomUUID(),
      object: 'chat.completion',
      created: 1,
      model: 'scripted',
      choices: [
        { index: 0, finish_reason: finish, logprobs: null, message: { role: 'assistant', ...message } },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  },
  '/v1/responses': ({ tools, input }) => {
    const last = input.at(-1);
    const { name, parameters } = tools[0];
    const output =
      last.type === 'function_call_output'
        ? {
            type: 'message',
            id: randomUUID(),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: said(last.output), annotations: [] }],
          }
        : {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_1',
            name,
            arguments: JSON.stringify(inputsFor(parameters)),
            status: 'completed',
          };
    return {
      id: randomUUID(),
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'scripted',
      output: [output],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  },
  '/v1/messages': ({ tools, messages }) => {
    const { content } = messages.at(-1);
    const result = Array.isArray(content) ? content.find(({ type }) => type === 'tool_result') : undefined;
    // The SDK continues its thread without the tools.
    const block =
      result === undefined
        ? { type: 'tool_use', id: 'toolu_1', name: tools[0].name, input: inputsFor(tools[0].input_schema) }
        : { type: 'text', text: said(result.content) };
    return {
      id: randomUUID(),
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [block],
      stop_reason: result === undefined ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  },
};

function inputsFor({ required = [] }: { readonly required?: readonly string[] }): object {
  const others = required.filter((name) => name !== 'name').map((name) => [name, null]);
  return { ...Object.fromEntries(others), name: 'Ada Lovelace' };
}

/** The model's reply to a tool's output, which is a text or a list of texts. */
function said(output: string | readonly { readonly text: string }[]): string {
  const text = typeof output === 'string' ? output : output.map((part) => part.text).join('');
  return text.startsWith('{') ? `Created ${JSON.parse(text).name}.` : text;
}
