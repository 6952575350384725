import { ApiError } from '@fairlead/errors/api-error';
import type { Page } from './app.ts';
import { sendJson } from './reply.ts';

/** Address of the liveness page. */
export const LIVENESS_PATH = '/healthz';

/** Address of the readiness page. */
export const READINESS_PATH = '/readyz';

/**
 * `GET /healthz`: the process is alive. `GET /readyz`: the replica accepts requests; 503 while it drains. Neither
 * queries a store: a failure of a shared store would take all replicas out at once, although each can still respond
 * with 503 itself.
 */
export function healthPages(isReady: () => boolean): readonly Page[] {
  return [
    {
      path: LIVENESS_PATH,
      isSafe: true,
      show: (_exchange, _request, response) => sendJson(response, 200, { status: 'ok' }),
    },
    {
      path: READINESS_PATH,
      isSafe: true,
      show(_exchange, _request, response) {
        if (!isReady()) throw new ApiError('UNAVAILABLE', 'This replica is shutting down.');
        sendJson(response, 200, { status: 'ready' });
      },
    },
  ];
}
