import type { JsonObject } from '@fairlead/connector-model/json';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { maskingInPlace } from '../../testing/tool-calls.ts';
import { maskClientMessages } from './mask-client-messages.ts';

const SECRET = 'secret-of-the-connection';

test('secrets of a call are masked in all that its client gets, and not in its answers', async () => {
  const got: JsonObject[] = [];
  const client = {
    capabilities: {},
    wantsProgress: true,
    takesInputRequired: false,
    principal: 'ada',
    notify: (_method: string, params: JsonObject) => void got.push(params),
    request(_method: string, params: JsonObject) {
      got.push(params);
      return Promise.resolve({ seen: SECRET });
    },
  };
  const call = { masker: createMasker([SECRET]), until: Date.now() + 60_000 };
  const masked = maskClientMessages({ outputMasker: maskingInPlace }, testContext(), client, call);
  masked.notify('notifications/message', { data: [`a ${SECRET}`] });
  expect(await masked.request('roots/list', { [SECRET]: SECRET })).toEqual({ seen: SECRET });
  expect(got).toEqual([{ data: ['a ***'] }, { '***': '***' }]);
  const unmaskable = { mask: () => Promise.resolve(undefined) };
  const late = maskClientMessages({ outputMasker: unmaskable }, testContext(), client, call);
  await expect(late.request('roots/list', {})).rejects.toThrow('could not be searched for secrets');
  expect(got).toHaveLength(2);
});
