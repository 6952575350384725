import { CallFailure } from '@fairlead/connector-runtime/failure';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { callCredential } from '../domain/credential.ts';
import { connectorHead, field, oauthMethod, OWNER, tokens } from '../testing/builders.ts';
import { Secret } from '@fairlead/service-kit/secret';
import { discoverOptions } from './discover-options.ts';

const request = { method: 'GET', url: '/workspaces', query: {}, headers: {}, body: null } as const;
const choice = field('workspace', {
  type: 'select',
  dynamicOptions: { request, itemsPointer: '', valuePointer: '/id', labelPointer: '/name' },
});
const credential = callCredential(1, {}, { secretFields: new Secret({}), tokens: tokens() });
const target = (fields = [choice]) => ({ head: connectorHead(), method: oauthMethod({ fields }) });
const discover = (answer: () => Promise<Record<string, Record<string, string>>>, fields = [choice]) =>
  discoverOptions(
    { runtime: { fieldOptions: answer } },
    testContext(OWNER),
    OWNER.accountId,
    target(fields),
    credential,
  );

test('the choices of the vendor have no secret of the credential in them', async () => {
  const answer = () => Promise.resolve({ workspace: { a: 'A of access', 'of-access': 'B' } });
  expect(await discover(answer)).toEqual({ workspace: { a: 'A of ***' } });
});

test('the vendor is not asked for a method without such a field; what it refuses is thrown', async () => {
  const refused = () => Promise.reject(new CallFailure('no'));
  expect(await discover(refused, [field('tenant')])).toEqual({});
  await expect(discover(refused)).rejects.toThrow('no');
});
