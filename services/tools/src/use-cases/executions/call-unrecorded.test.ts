import { triggerTool } from '@fairlead/connector-runtime/triggers/trigger-tool';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import type { CredentialResult } from '../../ports/connections.ts';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { callUnrecorded } from './call-unrecorded.ts';

const SECRET = 'secret-of-the-connection';
const SUCCESS: ToolOutcome = { isSuccess: true, output: { id: 7 }, attempts: 1 };

function called(
  o: {
    readonly isLicensed?: boolean;
    readonly limitedUntil?: Date;
    readonly outcome?: ToolOutcome;
    readonly credential?: CredentialResult;
  } = {},
) {
  const { isLicensed = true, limitedUntil, outcome = SUCCESS } = o;
  const opened: CredentialResult = {
    kind: 'credential',
    credential: { version: 1, fields: {}, secrets: [SECRET] },
  };
  const head = connectorHead({ authenticationMethods: [authenticationMethod()] });
  const own = connection({ id: 7, applicationSlug: head.slug, isLicensed });
  const permit = onePermit();
  const deps = {
    catalog: catalogOf(toolDefinition(), head),
    connections: connectionsOf(own, o.credential ?? opened),
    runtime: { execute: () => Promise.resolve(outcome) },
    permits: permit,
    checkPermits: permit,
    vendorLimits: { until: () => limitedUntil, note: () => undefined },
  };
  const tool = triggerTool({ slug: 'x' }, { type: 'removeWebhook', recipe: {} as never, id: '1' });
  const call = { connection: own, tool, fields: {} };
  return callUnrecorded(deps, testContext(), call, Date.now() + 5_000);
}

test('a call has the outcome of the vendor, and the secrets to mask in it', async () => {
  expect(await called()).toEqual({ outcome: SUCCESS, secrets: [SECRET] });
});

test('without a credential nothing is sent, and the outcome says so', async () => {
  expect(await called({ credential: { kind: 'none', errorMessage: 'Sign in again.' } })).toEqual({
    outcome: { isSuccess: false, errorMessage: 'Sign in again.', isUnauthorized: true },
    secrets: [],
  });
});

test('a connection without a licence is refused, and a call without a worker may come again', async () => {
  await expect(called({ isLicensed: false })).rejects.toMatchObject({ code: 'CONNECTION_BLOCKED' });
  const overload = { isSuccess: false, errorMessage: 'Busy.', attempts: 0, isUnauthorized: false } as const;
  await expect(called({ outcome: { ...overload, isOverloaded: true } })).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
  });
});

test('while the vendor takes no calls, the outcome says until when', async () => {
  const limitedUntil = new Date(Date.now() + 3_600_000);
  const message: unknown = expect.stringContaining(limitedUntil.toISOString());
  expect(await called({ limitedUntil })).toMatchObject({
    outcome: { isSuccess: false, errorMessage: message },
  });
});
