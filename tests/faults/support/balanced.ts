import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { environmentOf } from './processes.ts';

const POLL_MS = 50;

/** Resolves once the balancer sends new connections to this gateway, recognised by a request of a unique kind. */
export async function untilBalanced(baseUrl: string, id: number): Promise<void> {
  const metrics = `http://127.0.0.1:${environmentOf(id)['ADMIN_PORT']}/metrics`;
  for (;;) {
    await request(`${baseUrl}/healthz`, { reset: true }).then(
      ({ body }) => body.dump(),
      () => undefined,
    );
    const text = await request(metrics).then(
      ({ body }) => body.text(),
      () => '',
    );
    if (/_count\{method="GET",route="\/healthz",status="200"\} [1-9]/.test(text)) return;
    await delay(POLL_MS);
  }
}
