import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../../domain/target.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { connection } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { resolveInToolset } from './resolve-in-toolset.ts';

const { toolSlug } = toolDefinition();
const own = (id: number, applicationSlug = 'crm', isDefault = false) =>
  connection({ id, applicationSlug, isDefault });

/** Resolves a call of a tool in `applications`, of an account with `connections`. */
function resolve(
  o: {
    readonly connections: readonly Connection[];
    readonly toolset: Partial<Toolset>;
    readonly applications?: readonly string[];
  },
  { connectionId, endUserId }: { readonly connectionId?: number; readonly endUserId?: string } = {},
) {
  const isTheirs = (each: Connection): boolean => endUserId === undefined || each.endUserId === endUserId;
  const deps: Parameters<typeof resolveInToolset>[0] = {
    connections: {
      getConnection(_ctx, id) {
        const found = o.connections.find((each) => each.id === id && isTheirs(each));
        return found ? Promise.resolve(found) : Promise.reject(notFound('connection'));
      },
      findConnections: (_ctx, { ids, applicationSlugs = [] }) =>
        Promise.resolve(
          o.connections.filter(
            (each) =>
              ids.includes(each.id) && applicationSlugs.includes(each.applicationSlug) && isTheirs(each),
          ),
        ),
    },
  };
  const candidates = (o.applications ?? ['crm']).map((applicationSlug) => ({
    applicationSlug,
    isPlatform: true,
    definition: toolDefinition(),
  }));
  return resolveInToolset(deps, testContext(), {
    toolset: toolset(o.toolset),
    candidates,
    connectionId,
    endUserId,
  });
}

const refused = (code: string) => ({ code });

test('an explicit connection is one of the toolset, and fits the tool', async () => {
  const account = {
    connections: [own(7), own(8), own(9, 'mail')],
    toolset: { connectionIds: [7, 9] },
  };
  await expect(resolve(account, { connectionId: 7 })).resolves.toMatchObject({
    connection: { id: 7 },
    resolution: 'explicit',
    toolset: { id: toolset().id },
  });
  await expect(resolve(account, { connectionId: 8 })).rejects.toMatchObject(
    refused('CONNECTION_NOT_IN_TOOLSET'),
  );
  await expect(resolve(account, { connectionId: 9 })).rejects.toMatchObject(refused('WRONG_APPLICATION'));
  await expect(resolve(account, { connectionId: 6 })).rejects.toMatchObject(refused('NOT_FOUND'));
  const both = { ...account, applications: ['crm', 'mail'] };
  const crmOnly = { ...both.toolset, tools: [{ applicationSlug: 'crm', toolSlug }] };
  await expect(resolve({ ...both, toolset: crmOnly }, { connectionId: 9 })).rejects.toMatchObject(
    refused('TOOL_NOT_IN_TOOLSET'),
  );
});

test('without one it is the toolset’s of the application, the default if it is included; a default outside plays no part', async () => {
  const connections = [own(5, 'crm', true), own(7), own(8)];
  const found = (connectionIds: readonly number[]) => resolve({ connections, toolset: { connectionIds } });
  await expect(found([8, 7, 999])).resolves.toMatchObject({ connection: { id: 7 }, resolution: 'toolset' });
  await expect(found([8, 5])).resolves.toMatchObject({ connection: { id: 5 } });
  await expect(found([])).rejects.toMatchObject(refused('NO_TOOLSET_CONNECTION'));
  await expect(found([999])).rejects.toMatchObject(refused('NO_TOOLSET_CONNECTION'));
});

test('a tool that the toolset does not permit is refused before its connection is looked for', async () => {
  await expect(
    resolve({ connections: [], toolset: { tools: [] } }, { connectionId: 6 }),
  ).rejects.toMatchObject(refused('TOOL_NOT_IN_TOOLSET'));
});

test('an ambiguous slug is of the application that the toolset has a connection to, then of its only default', async () => {
  const applications = ['crm', 'mail'];
  const connections = [own(5, 'crm', true), own(6, 'crm'), own(7, 'mail'), own(8, 'mail', true)];
  const found = (connectionIds: readonly number[], tools: Toolset['tools'] = null) =>
    resolve({ connections, applications, toolset: { connectionIds, tools } });
  // The account's default of the other application is not in the toolset.
  await expect(found([7])).resolves.toMatchObject({ tool: { applicationSlug: 'mail' } });
  await expect(found([6, 8])).resolves.toMatchObject({ connection: { id: 8 }, resolution: 'toolset' });
  for (const several of [
    [6, 7],
    [5, 8],
  ])
    await expect(found(several)).rejects.toMatchObject({
      code: 'AMBIGUOUS_TOOL',
      candidates: applications,
    });
  await expect(found([6, 7], [{ applicationSlug: 'mail', toolSlug }])).resolves.toMatchObject({
    connection: { id: 7 },
  });
});

test('for an end user others’ connections and the account’s own are passed over', async () => {
  const connections = [
    own(5, 'crm', true),
    connection({ id: 6, endUserId: 'a' }),
    connection({ id: 7, endUserId: 'b' }),
  ];
  const found = (connectionIds: readonly number[]) =>
    resolve({ connections, toolset: { connectionIds } }, { endUserId: 'b' });
  await expect(found([5, 6, 7])).resolves.toMatchObject({ connection: { id: 7 }, resolution: 'toolset' });
  await expect(found([5, 6])).rejects.toMatchObject(refused('NO_TOOLSET_CONNECTION'));
});
