import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { neighbours, VENDOR_TYPE } from '../testing/triggers.ts';
import { registerWebhook } from './register-webhook.ts';

const of = {
  id: 'trg_1',
  triggerTypeSlug: VENDOR_TYPE.slug,
  connectionId: 7,
  configuration: LazyJson.of({}),
};

test('the intent is stored, then the vendor is called with an address and a secret of its own', async () => {
  const deps = neighbours(VENDOR_TYPE);
  const { steps } = deps.webhooks;
  const addresses: { readonly url: string; readonly secret: string }[] = [];
  const vendorWebhooks = {
    register(_ctx: unknown, _of: unknown, address: { readonly url: string; readonly secret: string }) {
      steps.push('call');
      addresses.push(address);
      return Promise.resolve({ isSuccess: true, value: 'reg_1' } as const);
    },
  };
  const id = await registerWebhook({ ...deps, vendorWebhooks }, testContext(), of);
  expect(id).toMatch(/^whk_/);
  expect(steps).toEqual(['insert for trg_1 of 7', 'call', 'registered as reg_1']);
  expect(addresses[0]?.url).toMatch(/^https:\/\/fairlead\.test\/hooks\/[0-9A-Za-z]{32}$/);
  expect(addresses[0]?.secret).toMatch(/^[0-9A-Za-z]{40}$/);
});

test('a refusal has the words of the vendor, and the intent is looked at again', async () => {
  const deps = neighbours(VENDOR_TYPE);
  const refused = registerWebhook(deps, testContext(), {
    ...of,
    configuration: LazyJson.of({ colour: 'refused' }),
  });
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connectionId', issue: 'Not for you.' }],
  });
  expect(deps.webhooks.steps).toEqual(['insert for trg_1 of 7', 'registered as null']);
});

test.each([
  ['CONNECTION_BLOCKED', ['insert for trg_1 of 7', 'gone']],
  // The vendor may have been called.
  ['TIMEOUT', ['insert for trg_1 of 7']],
] as const)('%s leaves an intent only if there may be something to look for', async (code, steps) => {
  const deps = neighbours(VENDOR_TYPE);
  const vendorWebhooks = { register: () => Promise.reject(new ApiError(code, 'Not now.')) };
  const failed = registerWebhook({ ...deps, vendorWebhooks }, testContext(), of);
  await expect(failed).rejects.toMatchObject({ code });
  expect(deps.webhooks.steps).toEqual(steps);
});
