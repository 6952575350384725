import type { Credential } from '@fairlead/connector-runtime/call';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { CredentialGrant } from '../domain/connection.ts';
import { connection, connectorHead, heldProviders, NOW, OWNER, tokens } from '../testing/builders.ts';
import { askWithCredential } from './ask-with-credential.ts';
import type { VendorReply } from './ask-with-credential.ts';

const refused: VendorReply<string> = { isSuccess: false, errorMessage: 'no: access-1', isUnauthorized: true };
const overloaded: VendorReply<string> = {
  isSuccess: false,
  errorMessage: 'busy',
  isUnauthorized: false,
  isOverloaded: true,
};

/** A vendor that gives `answers` in turn, and a connection whose every refresh returns the next token. */
function run(answers: readonly VendorReply<string>[], grant: CredentialGrant = 'authorizationCode') {
  let stored = connection({ grant });
  const asked: string[] = [];
  const deps = {
    catalog: { getConnector: () => Promise.resolve(connectorHead()) },
    credentials: {
      read: () => {
        const accessToken = new Secret(`access-${stored.credentialVersion}`);
        const credential = { secretFields: new Secret({}), tokens: tokens({ accessToken }) };
        return Promise.resolve({ connection: stored, credential });
      },
    },
    refresher: {
      refresh: () => {
        stored = { ...stored, credentialVersion: stored.credentialVersion + 1 };
        return Promise.resolve({ kind: 'settled' } as const);
      },
    },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    clock: new ManualClock(NOW),
  };
  const result = askWithCredential(
    deps,
    testContext(OWNER),
    stored,
    'test',
    ({ accessToken }: Credential) => {
      asked.push(accessToken ?? 'none');
      return Promise.resolve(answers[asked.length - 1] ?? { isSuccess: true, value: 'yes' });
    },
  );
  return { asked, result };
}

test('a token that the vendor refuses is renewed once', async () => {
  const renewed = run([refused]);
  expect(await renewed.result).toEqual({ isSuccess: true, value: 'yes' });
  expect(renewed.asked).toEqual(['access-1', 'access-2']);
  const failed = run([refused, refused]);
  expect(await failed.result).toEqual({ isSuccess: false, errorMessage: 'no: access-1' });
  expect(failed.asked).toHaveLength(2);
});

test('what is in fields alone is not renewed, and is masked in what the vendor says', async () => {
  const { asked, result } = run([refused], 'fields');
  expect(await result).toEqual({ isSuccess: false, errorMessage: 'no: ***' });
  expect(asked).toHaveLength(1);
});

test('a vendor that was not asked is no answer', async () => {
  await expect(run([overloaded]).result).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});
