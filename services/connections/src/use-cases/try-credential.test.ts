import type { CredentialCheck } from '@fairlead/connector-runtime/call';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { endUserPermit } from '../domain/vendor-permits.ts';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import type { NewCredential } from '../ports/connection-store.ts';
import { apiTokenMethod, connectorHead, oauth2Scheme, oauthMethod, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { tryCredential } from './try-credential.ts';

const credential: NewCredential = {
  fields: { plain: {}, secret: { apiToken: 's3cr3t' } },
  fieldOptions: {},
  tokens: null,
  authProviderId: null,
  addressRevision: null,
  consumes: null,
};
const machine = oauthMethod({ scheme: oauth2Scheme({ grant: 'clientCredentials' }) });
const refused = {
  isSuccess: false,
  errorMessage: 'the token s3cr3t is wrong',
  isUnauthorized: true,
} as const;

function run(
  method = apiTokenMethod(),
  check: CredentialCheck = { isSuccess: true },
  error?: Error,
  given = credential,
) {
  const deps = {
    ...sessionCalls().deps,
    vendorPermits: onePermit(),
    runtime: { testCredential: () => Promise.resolve(check) },
    tokenClient: {
      clientCredentials: () =>
        error === undefined
          ? Promise.resolve({ accessToken: 'access', scopes: [], raw: {} })
          : Promise.reject(error),
    },
  };
  return tryCredential(
    deps,
    testContext(OWNER),
    {
      head: connectorHead(),
      method,
      permit: endUserPermit(OWNER.accountId, 'customer-1', AbortSignal.timeout(60_000)),
    },
    given,
  );
}

test('a credential that the vendor accepts is returned, with the tokens of a client', async () => {
  expect(await run()).toEqual({ credential });
  const tried = await run(machine, { isSuccess: true }, undefined, { ...credential, authProviderId: 0 });
  expect('credential' in tried && tried.credential.tokens).toMatchObject({ refreshToken: null });
});

test('a refusal is the vendor’s text without secrets; a vendor that was not asked is RATE_LIMIT_EXCEEDED', async () => {
  expect(await run(apiTokenMethod(), refused)).toEqual({ refusal: 'the token *** is wrong' });
  const denied = new TokenError('refused', 'no such client');
  const own = { ...credential, authProviderId: 0 };
  expect(await run(machine, refused, denied, own)).toEqual({ refusal: 'no such client' });
  expect(await run(machine)).toEqual({ refusal: 'there is no OAuth client for this method' });
  await expect(run(apiTokenMethod(), { ...refused, isOverloaded: true })).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
  });
});

test('a credential is not tried where its auth provider leads since it was given', async () => {
  const given = { ...credential, authProviderId: 0, addressRevision: 'a former one' };
  expect(await run(machine, { isSuccess: true }, undefined, given)).toEqual({
    refusal: 'the auth provider was changed meanwhile; try again',
  });
});
