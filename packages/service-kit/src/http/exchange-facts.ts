import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';

/** Response header that tells the service that passed a request on what its log line says. It never reaches a client. */
export const FACTS_HEADER = 'x-fairlead-facts';

const factsSchema = z.object({
  route: z.string().optional(),
  accountId: z.string().optional(),
  userId: z.string().optional(),
});

/** Adds FACTS_HEADER to the response, with the facts of the exchange at the time when its headers are written. */
export function reportFacts(exchange: Exchange, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response);
  // Node has no event before the headers; it calls this method for implicit headers, too.
  response.writeHead = (...args: unknown[]) => {
    const { route, accountId, userId } = exchange;
    // Encoded, because a header cannot hold every character of a route.
    const facts = Buffer.from(JSON.stringify({ route, accountId, userId })).toString('base64url');
    response.setHeader(FACTS_HEADER, facts);
    Reflect.apply(writeHead, undefined, args);
    return response;
  };
}

/** Sets the facts in the text of a FACTS_HEADER on the exchange; a text that is none changes nothing. */
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
