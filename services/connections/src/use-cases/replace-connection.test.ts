import type { ConnectorHead } from '@fairlead/connector-model/model';
import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { describe, expect, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Connection } from '../domain/connection.ts';
import { CredentialChanged } from '../domain/connection.ts';
import type { ConnectionReplacement } from '../ports/connection-store.ts';
import {
  apiTokenMethod,
  completedSignIn,
  connection,
  connectorHead,
  details,
  NOW,
  OWNER,
  heldProviders,
} from '../testing/builders.ts';
import type { ReplaceConnectionCommand } from './replace-connection.ts';
import { replaceConnection } from './replace-connection.ts';

const ctx = testContext(OWNER);
const options = { workspace: { a: 'A', b: 'B' } };
const signedIn = connection({ fields: { workspace: 'b' }, fieldOptions: options });
const byToken = connection({ authenticationId: 1, authenticationName: 'API token', grant: 'fields' });
const mcpHead = connectorHead({
  slug: 'mcp',
  kind: 'MCPClient',
  authenticationMethods: [apiTokenMethod({ isDefault: true })],
});
const byMcp = connection({ ...byToken, kind: 'MCPClient', applicationSlug: 'mcp-7' });
const signIn = completedSignIn({ fieldOptions: options });

/**
 * One stored connection. Each write that finds another version reads the next of `later`. Records writes in order, and requested
 * connectors.
 */
function world(
  stored: Connection,
  head: ConnectorHead = connectorHead(),
  o: { readonly isDown?: boolean; readonly later?: readonly Connection[] } = {},
) {
  const reads = [stored, ...(o.later ?? [])];
  let found = stored;
  const writes: unknown[] = [];
  const asked: string[] = [];
  const changes: ConnectionReplacement[] = [];
  let toolsRead: Partial<Connection> = {};
  const deps = {
    catalog: {
      getConnector: (_ctx: unknown, slug: string) => {
        asked.push(slug);
        return Promise.resolve(head);
      },
      putApplication: (
        _ctx: unknown,
        { slug, version }: { readonly slug: string; readonly version: string },
      ) => {
        writes.push(`put ${slug} ${version}`);
        return Promise.resolve();
      },
      deleteApplication: () => Promise.reject(new Error('deleted')),
    },
    connections: {
      find: (_ctx: unknown, accountId: string, id: number) => {
        found = reads.shift() ?? found;
        return Promise.resolve(
          accountId === found.accountId && id === found.id ? { ...found, ...toolsRead } : undefined,
        );
      },
      replace: (_ctx: unknown, accountId: string, id: number, change: ConnectionReplacement) => {
        writes.push(`replace ${accountId}/${id}`);
        changes.push(change);
        const present = reads[0] ?? found;
        if ((change.ofVersion ?? present.credentialVersion) !== present.credentialVersion)
          return Promise.reject(new CredentialChanged());
        return Promise.resolve({ ...stored, credentialVersion: 2 });
      },
      saveToolsRead: () => {
        toolsRead = { applicationName: 'Renamed' };
        return Promise.resolve(true);
      },
    },
    signIns: { find: () => Promise.resolve(signIn) },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    runtime: {
      discoverMcpTools: () =>
        Promise.resolve({ serverName: 'Renamed', serverVersion: '2', toolsJson: Buffer.from('[]') }),
    },
    vendorPermits: onePermit(),
    toolReader: {
      read: () => {
        writes.push('read again');
        if (o.isDown === true) return Promise.reject(new ApiError('UNAVAILABLE', 'down'));
        toolsRead = { applicationName: 'Renamed' };
        return Promise.resolve({ isSuccess: true, value: true } as const);
      },
    },
    clock: new ManualClock(NOW),
  };
  const replace = (over: Partial<ReplaceConnectionCommand> = {}, caller = ctx) =>
    replaceConnection(deps, caller, {
      id: 7,
      details: details(),
      fields: undefined,
      oauthState: undefined,
      ...over,
    });
  return { writes, asked, changes, replace };
}

describe('a PUT', () => {
  test('without fields and sign-in writes only the details and calls no other service', async () => {
    const { asked, changes, replace } = world(signedIn);
    const given = details({ description: 'new', metadata: LazyJson.of({ a: 1 }) });
    await replace({ details: given });
    expect(changes).toEqual([
      { details: given, credential: undefined, applicationName: undefined, now: NOW },
    ]);
    expect(asked).toEqual([]);
  });

  test('with fields replaces a credential that consists of fields', async () => {
    const { changes, replace } = world(byToken);
    await replace({ fields: { apiToken: 't2' } });
    expect(changes).toMatchObject([
      { credential: { fields: { secret: { apiToken: 't2' } }, tokens: null, consumes: null } },
    ]);
  });

  test('with fields makes other choices among those of the sign-in, whose tokens stay', async () => {
    const { changes, replace } = world(signedIn);
    await replace({ fields: { workspace: 'a' } });
    expect(changes).toMatchObject([
      {
        credential: {
          fields: { plain: { workspace: 'a' } },
          fieldOptions: options,
          tokens: 'keep',
          authProviderId: 0,
          consumes: null,
        },
      },
    ]);
    await expect(replace({ fields: { workspace: 'c' } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('with fields chooses again among those of a sign-in that was made meanwhile', async () => {
    const other = { workspace: { c: 'C' } };
    const renewed = { ...signedIn, fieldOptions: other, authProviderId: 9, credentialVersion: 2 };
    const { changes, replace } = world(signedIn, connectorHead(), { later: [renewed] });
    await expect(replace({ fields: { workspace: 'a' } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(changes).toMatchObject([{ ofVersion: 1 }]);
    const valid = world(signedIn, connectorHead(), {
      later: [{ ...renewed, fieldOptions: { workspace: { a: 'Another A' } } }],
    });
    await valid.replace({ fields: { workspace: 'a' } });
    expect(valid.changes).toMatchObject([
      { ofVersion: 1, credential: { authProviderId: 0, fieldOptions: options } },
      {
        ofVersion: 2,
        credential: { authProviderId: 9, fieldOptions: { workspace: { a: 'Another A' } }, tokens: 'keep' },
      },
    ]);
  });

  test('with fields ends if the credential never stays the same', async () => {
    const later = Array.from({ length: 9 }, (_, index) => ({ ...signedIn, credentialVersion: index + 2 }));
    const { changes, replace } = world(signedIn, connectorHead(), { later });
    await expect(replace({ fields: { workspace: 'a' } })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(changes).toHaveLength(5);
  });

  test('with a sign-in takes its tokens and keeps the former choices that are still valid', async () => {
    const { changes, replace } = world(signedIn);
    await replace({ oauthState: signIn.state });
    await replace({ oauthState: signIn.state, fields: {} });
    expect(changes).toMatchObject([
      {
        credential: {
          fields: { plain: { workspace: 'b' } },
          tokens: signIn.outcome.tokens,
          consumes: signIn.state,
        },
      },
      { credential: { fields: { plain: { workspace: 'a' } } } },
    ]);
  });

  test.each([
    ['details out of bounds', byToken, { details: details({ connectionName: '' }) }, 'VALIDATION_ERROR'],
    ['a field that the server derives', byToken, { fields: { ExternalOrgId: 'x' } }, 'INVALID_FIELD'],
    ['a sign-in where the method has none', byToken, { oauthState: signIn.state }, 'VALIDATION_ERROR'],
    ['an empty state where it has one', signedIn, { oauthState: '' }, 'OAUTH_STATE_REQUIRED'],
    ['fields that do not fit the method', byToken, { fields: {} }, 'VALIDATION_ERROR'],
    ['an unknown id', byToken, { id: 8 }, 'NOT_FOUND'],
  ])('with %s is refused before anything is written', async (_name, stored, over, code) => {
    const { writes, replace } = world(stored);
    await expect(replace(over)).rejects.toMatchObject({ code });
    expect(writes).toEqual([]);
  });

  test('of another account is NOT_FOUND', async () => {
    const { writes, replace } = world(byToken);
    await expect(replace({}, testContext())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(writes).toEqual([]);
  });
});

describe('a PUT of an MCP connection', () => {
  test.each([false, true])(
    'without fields reads its tools again, unless the server is down (%s)',
    async (isDown) => {
      const { writes, replace } = world(byMcp, mcpHead, { isDown });
      expect(await replace()).toMatchObject({ id: 7, applicationName: isDown ? 'CRM' : 'Renamed' });
      expect(writes).toEqual(['replace acc_1/7', 'read again']);
    },
  );

  test('with fields reads the server again, then publishes its tools under the new version', async () => {
    const { writes, asked, changes, replace } = world(byMcp, mcpHead);
    expect(await replace({ fields: { apiToken: 't2' } })).toMatchObject({ applicationName: 'Renamed' });
    expect(asked).toEqual(['mcp']);
    expect(changes).toMatchObject([{ applicationName: 'Renamed' }]);
    // Stored tools without a version of their own count from the credential's version.
    expect(writes).toEqual(['replace acc_1/7', 'put mcp-7 1.0.3']);
  });
});
