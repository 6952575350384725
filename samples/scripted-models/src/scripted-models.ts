import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECTS } from './dialects.ts';
import type { ModelRequest, ToolDeclaration } from './dialects.ts';

/** A server with the model APIs of OpenAI and Anthropic that answers by a script. */
export interface ScriptedModels {
  readonly url: string;
  /** The tools in each request that had any, as sent. */
  readonly offeredTools: readonly (readonly ToolDeclaration[])[];
  close(): Promise<void>;
}

/**
 * Starts the server on 127.0.0.1; port 0: any free one. For "Add Grace Hopper to …", the model calls its first tool with `name: "Grace
 * Hopper"` ("Ada Lovelace" if the message has no name), and null for the other required inputs. It replies to a tool's output with the name
 * in it, or with the whole output.
 */
export async function startScriptedModels(port = 0): Promise<ScriptedModels> {
  const offeredTools: (readonly ToolDeclaration[])[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<readonly [number, object]> => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
      const dialect = DIALECTS[request.url ?? ''];
      if (dialect === undefined) return [404, refusal(`no such path: ${request.url ?? ''}`)];
      // The vendors' SDKs write this body.
      const body = JSON.parse(text) as ModelRequest;
      if (body.stream === true) return [400, refusal('the scripted model does not stream')];
      if (body.tools !== undefined) offeredTools.push(body.tools);
      return [200, dialect(body)];
    };
    const send = ([status, body]: readonly [number, object]): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    answer().then(send, (error: unknown) => send([400, refusal(String(error))]));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    offeredTools,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const refusal = (message: string): object => ({ error: { type: 'invalid_request_error', message } });
