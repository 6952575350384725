import { VERIFIERS } from '@fairlead/webhook-signature/testing/verifiers';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { get, post } from './support/api.ts';
import { hookTo, SOON, startReceiver } from './support/receiver.ts';
import type { EventRequest, Receiver } from './support/receiver.ts';
import { row } from './support/row.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** Verifies a request by its received headers and bytes; throws if a library rejects it. */
function verify(library: string, { headers, body }: EventRequest, secret: string): unknown {
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return VERIFIERS[library]?.(secret, Object.fromEntries(single), Buffer.from(body));
}

describe('A request that was sent', () => {
  row(
    'events.2',
    'is verified by every library that receivers may use, and no other request is',
    async () => {
      const { id, secret, requests } = await receiver.destinationOf(204);
      const { fire } = await hookTo(id);
      await fire('{"name":"Ærø ✓","big":12345678901234567890}');
      await expect.poll(() => requests().length, SOON).toBe(1);
      const [request] = requests() as [EventRequest];
      const changed = { ...request, body: request.body.replace('Ærø', 'Aro') };
      for (const library of Object.keys(VERIFIERS)) {
        expect(() => verify(library, request, secret), library).not.toThrow();
        expect(() => verify(library, changed, secret), library).toThrow(/signature/i);
      }
    },
  );

  row('events.4', 'after a rotation is signed with the new secret alone, which is shown once', async () => {
    const { id, secret, requests } = await receiver.destinationOf(204);
    const one = `/v1/triggers/destinations/${id}`;
    const { fire } = await hookTo(id);
    await fire('{}');
    await expect.poll(() => requests().length, SOON).toBe(1);
    const rotated = expectStatus(await post(`${one}/rotate-secret`), 200).body;
    const next = String(rotated.signingSecret);
    expect(next).toMatch(/^whsec_/);
    expect(Object.keys((await get(one)).body)).not.toContain('signingSecret');
    await fire('{}');
    await expect.poll(() => requests().length, SOON).toBe(2);
    const [before, after] = requests() as [EventRequest, EventRequest];
    for (const library of Object.keys(VERIFIERS)) {
      expect(() => verify(library, before, secret)).not.toThrow();
      expect(() => verify(library, before, next)).toThrow(/signature/i);
      expect(() => verify(library, after, next)).not.toThrow();
      expect(() => verify(library, after, secret)).toThrow(/signature/i);
    }
  });
});
