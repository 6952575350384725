import type { TriggerTypeDefinition } from '@fairlead/connector-model/model';
import type { ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { callForTrigger } from './call-for-trigger.ts';

const SECRET = 'secret-of-the-connection';
const limitReached: unknown = expect.stringContaining('rate limit');
const CALL = { triggerTypeSlug: 'crm-thing-changed', connectionId: 7, configuration: { colour: 'red' } };

/** Calls `removeWebhook` for a trigger whose vendor gives this answer. */
function called(
  o: {
    readonly isLicensed?: boolean;
    readonly applicationSlug?: string;
    readonly limitedUntil?: Date;
    readonly outcome?: ToolOutcome;
  } = {},
) {
  const calls: VendorCall[] = [];
  const head = connectorHead({ authenticationMethods: [authenticationMethod()] });
  // The caller's recipe is passed on unchanged.
  const type = { slug: CALL.triggerTypeSlug, applicationSlug: o.applicationSlug ?? head.slug };
  const credential = { version: 1, fields: {}, secrets: [SECRET] };
  const permit = onePermit();
  const result = callForTrigger(
    {
      catalog: {
        ...catalogOf(toolDefinition(), head),
        resolveTriggerType: () => Promise.resolve(type as TriggerTypeDefinition & typeof type),
      },
      connections: connectionsOf(
        connection({ id: 7, applicationSlug: head.slug, isLicensed: o.isLicensed ?? true }),
        { kind: 'credential', credential },
      ),
      runtime: {
        execute(call) {
          calls.push(call);
          return Promise.resolve(o.outcome ?? { isSuccess: true, output: {}, attempts: 1 });
        },
      },
      permits: permit,
      checkPermits: permit,
      vendorLimits: { until: () => o.limitedUntil, note: () => undefined },
      timeoutMs: 5_000,
    },
    testContext(),
    CALL,
    () => ({ type: 'removeWebhook', recipe: {} as never, id: 'whk_1' }),
    ['secret-of-the-hook'],
  );
  return { result, calls };
}

test('the application is called with the credential and the configuration', async () => {
  const { result, calls } = called();
  expect(await result).toMatchObject({ isSuccess: true });
  expect(calls).toMatchObject([
    {
      tool: { toolSlug: CALL.triggerTypeSlug, retryClass: 'idempotent', trigger: { id: 'whk_1' } },
      fields: { colour: 'red' },
      credential: { version: 1 },
    },
  ]);
});

test('a failure has the words of the vendor, without the secrets of the call', async () => {
  const failure = { isSuccess: false, isUnauthorized: false, attempts: 1 } as const;
  const { result } = called({ outcome: { ...failure, errorMessage: 'No: secret-of-the-hook is taken.' } });
  expect(await result).toEqual({ isSuccess: false, errorMessage: 'No: *** is taken.' });
});

test('a vendor that takes no calls now is a failure that says until when', async () => {
  const { result, calls } = called({ limitedUntil: new Date(Date.now() + 3_600_000) });
  expect(await result).toMatchObject({ isSuccess: false, errorMessage: limitReached });
  expect(calls).toEqual([]);
});

test.each([
  ['without a licence', { isLicensed: false }, 'CONNECTION_BLOCKED'],
  ['of another application', { applicationSlug: 'other' }, 'WRONG_APPLICATION'],
])('a connection %s is refused, and nobody is called', async (_what, o, code) => {
  const { result, calls } = called(o);
  await expect(result).rejects.toMatchObject({ code });
  expect(calls).toEqual([]);
});

test('a call that no worker could take is refused', async () => {
  const failure = { isSuccess: false, isUnauthorized: false, attempts: 1, isOverloaded: true } as const;
  const { result } = called({ outcome: { ...failure, errorMessage: 'Busy.' } });
  await expect(result).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});
