import { inject } from 'vitest';
import { z } from 'zod';

/** What the gateway answered; status 0 and no body if the connection broke. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

const created = z.object({ id: z.int() });

/** Posts JSON to the stack of this run as its seeded account. Never throws: the process that answers may be killed. */
export async function post(path: string, json: unknown): Promise<ApiAnswer> {
  const { baseUrl, account } = inject('stack');
  try {
    const answer = await fetch(new URL(path, baseUrl), {
      method: 'POST',
      headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Creates a connection of `http` whose API is at that address; returns its id. */
export async function createHttpConnection(baseUrl: string): Promise<number> {
  const { body } = await post('/v1/connections', {
    applicationSlug: 'http',
    connectionName: 'Killed',
    authenticationId: 3,
    fields: { baseUrl, token: 'not-in-any-row' },
  });
  return created.parse(body).id;
}
