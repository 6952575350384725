import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECTS } from './dialects.ts';
import type { ModelRequest, OfferedTool } from './dialects.ts';

/** APIs of models, of OpenAI and of Anthropic, that answer by a script. */
export interface ScriptedModels {
  readonly url: string;
  /** The tools of every request that has any, as they were sent. */
  readonly offeredTools: readonly (readonly OfferedTool[])[];
  close(): Promise<void>;
}

/**
 * Starts them on a port of 127.0.0.1; 0 takes any free one. To "Add Grace Hopper to …", a model calls its first tool with
 * `name: "Grace Hopper"` ("Ada Lovelace" where the message names nobody), and null for the other inputs that the schema requires;
 * of a tool's output it says the name that is in there, or all of it.
 */
export async function startScriptedModels(port = 0): Promise<ScriptedModels> {
  const offeredTools: (readonly OfferedTool[])[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<readonly [number, object]> => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
      const dialect = DIALECTS[request.url ?? ''];
      if (dialect === undefined) return [404, refusal(`no such path: ${request.url ?? ''}`)];
      // The SDKs of the vendors write it.
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
