import { z } from 'zod';
import type { TestAccount } from '../../contract/support/own-accounts.ts';

const rpcMessage = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
/** A JSON-RPC message. */
export type Message = z.infer<typeof rpcMessage>;

/** A session of Streamable HTTP, controlled message by message. */
export interface McpConversation {
  /** Posts a message without reading the response's body. */
  post(message: object): Promise<number>;
  /** Posts a request; returns the messages of its response. */
  ask(message: object): AsyncGenerator<Message>;
}

/** Begins a session of a client that supports server requests. */
export async function startConversation(
  url: string,
  { apiKey }: Pick<TestAccount, 'apiKey'>,
): Promise<McpConversation> {
  const session: Record<string, string> = {};
  const send = (message: object): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const begun = await send({
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} }, sampling: {} },
      clientInfo: { name: 'hostile', version: '1' },
    },
  });
  await begun.text();
  session['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
  return {
    async post(message) {
      const answer = await send(message);
      await answer.arrayBuffer();
      return answer.status;
    },
    async *ask(message) {
      const answer = await send(message);
      if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        yield rpcMessage.parse(await answer.json());
        return;
      }
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(Buffer.from(chunk), { stream: true });
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: ?(.+)$/m.exec(event)?.[1];
          if (data !== undefined) yield rpcMessage.parse(JSON.parse(data));
        }
      }
    },
  };
}
