import { startApiServer } from './api-server.ts';
import type { ApiServer } from './api-server.ts';

/** The parts of a request to a model's API that tests check. */
export interface ModelRequest {
  readonly tools?: readonly unknown[];
  readonly messages?: readonly unknown[];
  readonly input?: readonly unknown[];
}

/** A model's API that gives the test's responses in turn. */
export interface ModelServer extends ApiServer {
  readonly requests: readonly ModelRequest[];
}

/** Starts one; further requests get status 500. */
export async function startModelServer(responses: readonly object[]): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = await startApiServer(({ body }, index) => {
    // The request bodies of the frameworks are JSON objects.
    requests.push(JSON.parse(body) as ModelRequest);
    const response = responses[index];
    return response === undefined ? { status: 500 } : { status: 200, body: response };
  });
  return { ...server, requests };
}
