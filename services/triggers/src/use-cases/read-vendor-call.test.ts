import { createHmac } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { HOOK_TYPE, MADE_AT, registered, trigger, VENDOR_TYPE } from '../testing/triggers.ts';
import { readVendorCall } from './read-vendor-call.ts';

const SECRET = 'a secret of the registration';

async function read(body: string, o: { signedBy?: string; type?: typeof VENDOR_TYPE } = {}) {
  const { signedBy = SECRET, type = VENDOR_TYPE } = o;
  const noted: string[] = [];
  const deps = {
    clock: new ManualClock(MADE_AT),
    types: { resolve: () => Promise.resolve(type) },
    firings: {
      noteError(_of: unknown, message: string) {
        noted.push(message);
        return Promise.resolve();
      },
    },
  };
  const value = `sha256=${createHmac('sha256', signedBy).update(body).digest('hex')}`;
  const call = {
    tokenHash: 'h',
    method: 'POST',
    headers: ['X-Signature', value],
    query: '',
    body: Buffer.from(body),
  };
  const of = { webhook: registered({}, SECRET), trigger: { ...trigger(), accountId: 'acc_1' }, call };
  const report = await readVendorCall(deps, testContext(), of);
  const text = 'kind' in report ? undefined : Buffer.from(report.payload).toString();
  return { report, text, noted };
}

test('a signed call reports what the vendor says, with one key for each delivery', async () => {
  const at = '2026-11-22T10:00:00.000Z';
  const { report, text } = await read(`{"id":"d1","at":"${at}","data":{"total":5}}`);
  expect(report).toMatchObject({
    occurredAt: new Date(at),
    firingKey: expect.stringMatching(/^vendor:/) as string,
  });
  expect(text).toBe('{"total":5}');
  const again = await read('{"id":"d1","data":{}}');
  expect(again.report).toMatchObject({
    occurredAt: MADE_AT,
    firingKey: Reflect.get(report, 'firingKey') as string,
  });
  const other = await read('{"id":"d2","data":{}}');
  expect(Reflect.get(other.report, 'firingKey')).not.toBe(Reflect.get(report, 'firingKey'));
});

test('a call without the signature of the registration is refused', async () => {
  expect((await read('{"id":"d1","data":{}}', { signedBy: 'other' })).report).toEqual({
    kind: 'unauthorized',
  });
});

test('what cannot be read is noted, and no event', async () => {
  const { report, noted } = await read('[]');
  expect(report).toEqual({ kind: 'filtered' });
  expect(noted).toHaveLength(1);
});

test('a registration whose type takes no calls any more is unknown', async () => {
  expect((await read('{}', { type: HOOK_TYPE })).report).toEqual({ kind: 'notFound' });
});
