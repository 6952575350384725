import { ApiError } from '@fairlead/errors/api-error';
import type { Page } from '../http/edge.ts';
import { sendJson } from '../http/reply.ts';

/** `GET /healthz`: the process lives. It asks nothing of anybody, so that a database in trouble restarts no gateway. */
export const livenessPage: Page = {
  path: '/healthz',
  isSafe: true,
  show: (_exchange, _request, response) => sendJson(response, 200, { status: 'ok' }),
};

/** `GET /readyz`: requests may come. 503 while the gateway starts, drains, or cannot reach its database. */
export function readinessPage(isReady: () => Promise<boolean>): Page {
  return {
    path: '/readyz',
    isSafe: true,
    async show(_exchange, _request, response) {
      if (!(await isReady())) throw new ApiError('UNAVAILABLE', 'The gateway is not ready.');
      sendJson(response, 200, { status: 'ready' });
    },
  };
}
