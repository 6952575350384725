import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, it, vi } from 'vitest';
import { kill, processOf, processesOf } from '../faults/support/processes.ts';

const stack = inject('stack');

const BUSY_MACHINE = { timeout: 90_000, interval: 50 };
/** A call that reaches the service during its start may wait until its deadline. */
const AWAY = [
  { status: 503, errorCode: 'UNAVAILABLE', requestId: true },
  { status: 504, errorCode: 'TIMEOUT', requestId: true },
];

interface Seen {
  readonly status: number;
  readonly errorCode: unknown;
  readonly requestId: boolean;
}

/** One call; undefined if the gateway itself cannot be reached. */
async function look(path: string): Promise<Seen | undefined> {
  try {
    const answer = await fetch(`${stack.baseUrl}${path}`, {
      headers: { 'x-api-key': stack.account.apiKey },
    });
    const body = (await answer.json()) as { errorCode?: unknown; requestId?: unknown };
    return {
      status: answer.status,
      errorCode: body.errorCode,
      requestId: answer.status === 200 || body.requestId === answer.headers.get('x-request-id'),
    };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

describe('kill -9 of a service', () => {
  const services = [
    { program: 'services/identity/src/main.ts', path: '/admin/v1/api-keys' },
    { program: 'services/catalog/src/main.ts', path: '/v1/applications' },
    { program: 'services/connections/src/main.ts', path: '/v1/connections' },
    { program: 'services/tools/src/main.ts', path: '/v1/executions' },
  ];

  it.each(services)(
    '$program: clean 503 envelopes meanwhile, works again unaided',
    async ({ program, path }) => {
      expect(await look(path)).toMatchObject({ status: 200 });
      const refused: Seen[] = [];
      // Repeated if the service was back before a call noticed.
      while (!refused.some(({ status }) => status === 503)) {
        const victim = processOf(stack, program);
        kill(victim);
        for (let isBack = false; !isBack; await delay(20)) {
          const answer = await look(path);
          if (answer === undefined) throw new Error('The gateway did not answer.');
          if (answer.status !== 200) refused.push(answer);
          const [successor] = processesOf(stack, program);
          isBack = answer.status === 200 && successor !== undefined && successor !== victim;
        }
      }
      for (const it of refused) expect(AWAY).toContainEqual(it);
    },
  );

  it('the gateway itself is started again and knows its keys', async () => {
    kill(processOf(stack, 'services/gateway/src/main.ts'));
    const answer = await vi.waitUntil(() => look('/v1/auth/whoami'), BUSY_MACHINE);
    expect(answer).toMatchObject({ status: 200 });
  });
});
