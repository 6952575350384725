import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { kill, processOf, processesOf } from '../faults/support/processes.ts';

const stack = inject('stack');

interface Seen {
  readonly status: number;
  readonly errorCode: unknown;
  readonly requestId: boolean;
}

/** One call; undefined where the gateway itself cannot be reached. */
async function look(path: string): Promise<Seen | undefined> {
  try {
    const answer = await fetch(`${stack.baseUrl}${path}`, {
      headers: { 'x-api-key': stack.account.apiKey },
      signal: AbortSignal.timeout(10_000),
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
    { program: 'services/identity/src/main.ts', path: '/admin/v1/account' },
    { program: 'services/catalog/src/main.ts', path: '/v1/applications' },
    { program: 'services/connections/src/main.ts', path: '/v1/connections' },
    { program: 'services/tools/src/main.ts', path: '/v1/executions' },
  ];

  it.each(services)(
    '$program: clean 503 envelopes meanwhile, works again unaided',
    async ({ program, path }) => {
      const victim = processOf(stack, program);
      expect(await look(path)).toMatchObject({ status: 200 });
      kill(victim);
      const seen: Seen[] = [];
      const deadline = Date.now() + 30_000;
      let recovered = false;
      while (!recovered && Date.now() < deadline) {
        const answer = await look(path);
        if (answer === undefined) throw new Error('The gateway did not answer.');
        seen.push(answer);
        const [successor] = processesOf(stack, program);
        recovered = answer.status === 200 && successor !== undefined && successor !== victim;
        await delay(20);
      }
      expect(recovered).toBe(true);
      const refused = seen.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const it of refused)
        expect(it).toEqual({ status: 503, errorCode: 'UNAVAILABLE', requestId: true });
    },
  );

  it('the gateway itself is started again and knows its keys', async () => {
    kill(processOf(stack, 'services/gateway/src/main.ts'));
    const deadline = Date.now() + 30_000;
    let answer: Seen | undefined;
    while (answer === undefined && Date.now() < deadline) {
      await delay(50);
      answer = await look('/v1/auth/whoami');
    }
    expect(answer).toMatchObject({ status: 200 });
  });
});
