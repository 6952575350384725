import type { ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import { sendJson } from './reply.ts';

const DAY_SECONDS = '86400';

/** Lets scripts of any site read the response, which is public and depends on no cookie or credential. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', REQUEST_ID_HEADER);
}

/** Responds to the CORS preflight of another site's script (Fetch, "CORS protocol"). */
export function answerPreflight(response: ServerResponse, methods: readonly string[]): void {
  response.setHeader('allow', methods.join(', '));
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', '*');
  response.setHeader('access-control-max-age', DAY_SECONDS);
  sendJson(response, 204);
}
