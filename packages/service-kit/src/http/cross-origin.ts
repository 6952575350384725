import type { ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import { sendJson } from './reply.ts';

const DAY_SECONDS = '86400';

/** Lets scripts of any site read the answer; what it says is public, and no cookie or credential counts for it. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', REQUEST_ID_HEADER);
}

/** Answers a browser that asks, before a request of another site's script, whether it may send that (Fetch, "CORS protocol"). */
export function answerPreflight(response: ServerResponse, methods: readonly string[]): void {
  response.setHeader('allow', methods.join(', '));
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', '*');
  response.setHeader('access-control-max-age', DAY_SECONDS);
  sendJson(response, 204);
}
