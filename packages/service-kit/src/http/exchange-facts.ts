import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';

/** Response header with facts for the log line of the service that passed the request on. It never reaches a client. */
export const FACTS_HEADER = 'x-fairlead-facts';

const factsSchema = z.object({
  route: z.string().optional(),
  accountId: z.string().optional(),
  userId: z.string().optional(),
});

/** Adds FACTS_HEADER to the response, with the exchange's facts at the time when the headers are written. */
export function reportFacts(exchange: Exchange, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response);
  // Node emits no event before the headers, but calls this method, even for implicit headers.
  response.writeHead = (...args: unknown[]) => {
    const { route, accountId, userId } = exchange;
    // Encoded, because a header cannot contain every character of a route.
    const facts = Buffer.from(JSON.stringify({ route, accountId, userId })).toString('base64url');
    response.setHeader(FACTS_HEADER, facts);
    Reflect.apply(writeHead, undefined, args);
    return response;
  };
}

/** Sets the facts in a FACTS_HEADER on the exchange; ignores invalid text. */
export function takeFacts(exchange: Exchange, text: string): void {
  const facts = factsSchema.safeParse(parse(text));
  if (!facts.success) return;
  const { route, accountId, userId } = facts.data;
  exchange.route = route ?? exchange.route;
  exchange.accountId = accountId;
  exchange.userId = userId;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
