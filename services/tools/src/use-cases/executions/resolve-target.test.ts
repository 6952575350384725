import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../../domain/target.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { toolset } from '../../testing/toolsets.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { resolveTarget } from './resolve-target.ts';
import type { ResolveTargetDeps, TargetRequest } from './resolve-target.ts';

const TOOLSET = '0c2f7a4e-9f0b-4c57-8d5c-3f5b0a1d2e3f';

const END_USER = 'customer-1';

/** A catalogue with the tool in `applications`, and an account with `defaults`; `theirs` belong to END_USER. */
function world(o: {
  applications?: readonly string[];
  connections?: readonly Connection[];
  defaults?: readonly Connection[];
  theirs?: readonly Connection[];
  /** Applications that a re-reading of tools adds. */
  added?: readonly string[];
  asked?: object[];
  /** The toolset with the id TOOLSET. */
  toolset?: Toolset;
}) {
  const { connections = [], defaults = [], theirs = [], added = [], asked = [] } = o;
  const applications = [...(o.applications ?? ['crm'])];
  const defaultsOf = (endUserId: string | undefined): readonly Connection[] => {
    if (endUserId === undefined) return defaults;
    return endUserId === END_USER ? theirs : [];
  };
  const deps: ResolveTargetDeps = {
    catalog: {
      resolveTool(_ctx, _slug, wanted) {
        const found = applications.filter((slug) => wanted === '' || slug === wanted);
        if (found.length === 0) return Promise.reject(notFound('tool'));
        return Promise.resolve(
          found.map((applicationSlug) => ({
            applicationSlug,
            isPlatform: true,
            definition: toolDefinition(),
          })),
        );
      },
    },
    connections: {
      getConnection(_ctx, id, endUserId) {
        const reachable = endUserId === undefined ? connections : defaultsOf(endUserId);
        const found = reachable.find((each) => each.id === id);
        return found ? Promise.resolve(found) : Promise.reject(notFound('connection'));
      },
      getDefault(_ctx, slug, endUserId) {
        const found = defaultsOf(endUserId).find(({ applicationSlug }) => applicationSlug === slug);
        return found
          ? Promise.resolve(found)
          : Promise.reject(new ApiError('NO_DEFAULT_CONNECTION', 'None.'));
      },
      findConnections: (_ctx, { ids, applicationSlugs = [], endUserId }) =>
        Promise.resolve(
          [...connections, ...theirs].filter(
            (each) =>
              ids.includes(each.id) &&
              applicationSlugs.includes(each.applicationSlug) &&
              (endUserId === undefined || each.endUserId === endUserId),
          ),
        ),
      readToolsAgain: (_ctx, of) => {
        asked.push(of);
        applications.push(...added);
        return Promise.resolve(added.length > 0);
      },
      listDefaults: (_ctx, slugs, endUserId) =>
        Promise.resolve(
          defaultsOf(endUserId).filter(({ applicationSlug }) => slugs.includes(applicationSlug)),
        ),
    },
    toolsets: {
      find: (_ctx, _account, id) => Promise.resolve(id === TOOLSET ? o.toolset : undefined),
    },
  };
  return (request: Partial<TargetRequest> = {}) =>
    resolveTarget(deps, testContext(), {
      toolSlug: 'crm-list-contacts',
      applicationSlug: '',
      connectionId: undefined,
      toolsetId: undefined,
      endUserId: undefined,
      ...request,
    });
}

const connection = (id: number, applicationSlug: string): Connection => ({
  id,
  applicationSlug,
  authenticationId: 1,
  isLicensed: true,
  isDefault: true,
  endUserId: null,
});

test('an explicit connection takes precedence over the default', async () => {
  const resolve = world({ connections: [connection(7, 'crm')], defaults: [connection(8, 'crm')] });
  await expect(resolve({ connectionId: 7 })).resolves.toMatchObject({
    connection: { id: 7 },
    resolution: 'explicit',
  });
  await expect(resolve()).resolves.toMatchObject({ connection: { id: 8 }, resolution: 'default' });
});

test('without an explicit connection and without a default it is NO_DEFAULT_CONNECTION', async () => {
  await expect(world({})()).rejects.toMatchObject({ code: 'NO_DEFAULT_CONNECTION' });
});

test('for an end user only their connections count, also to resolve an ambiguous slug; the account’s own are never used', async () => {
  const own = { connections: [connection(7, 'crm')], defaults: [connection(8, 'crm')] };
  const applications = ['crm', 'other'];
  for (const o of [own, { ...own, applications }]) {
    const resolve = world({ ...o, theirs: [connection(9, 'crm')] });
    const found = { connection: { id: 9 }, tool: { applicationSlug: 'crm' } };
    await expect(resolve({ endUserId: END_USER })).resolves.toMatchObject({
      ...found,
      resolution: 'endUser',
    });
    await expect(resolve({ endUserId: END_USER, connectionId: 9 })).resolves.toMatchObject({
      ...found,
      resolution: 'explicit',
    });
    await expect(resolve({ endUserId: END_USER, connectionId: 7 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(resolve({ endUserId: 'customer-2' })).rejects.toMatchObject({
      code: 'NO_DEFAULT_CONNECTION',
    });
  }
  const several = world({ applications, theirs: [connection(1, 'crm'), connection(2, 'other')] });
  await expect(several({ endUserId: END_USER })).rejects.toMatchObject({ code: 'AMBIGUOUS_TOOL' });
});

test('the tool is checked before the toolset, the toolset before the connection', async () => {
  const both = { toolsetId: 'no guid', connectionId: 0 };
  await expect(world({ applications: [] })(both)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The tool does not exist.',
  });
  await expect(world({})(both)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'toolsetId' }],
  });
  await expect(world({})({ ...both, toolsetId: TOOLSET })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The toolset does not exist.',
  });
});

test.each([0, -1])(
  'the connection id %i is VALIDATION_ERROR, an unknown one NOT_FOUND',
  async (connectionId) => {
    await expect(world({})({ connectionId })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'connectionId' }],
    });
    await expect(world({})({ connectionId: 99 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  },
);

test('a connection of another application is WRONG_APPLICATION', async () => {
  const resolve = world({ connections: [connection(7, 'other')] });
  await expect(resolve({ connectionId: 7 })).rejects.toMatchObject({ code: 'WRONG_APPLICATION' });
});

test('an ambiguous slug is resolved by applicationSlug, then by the explicit connection, then by the only default', async () => {
  const applications = ['a', 'b'];
  const connections = [connection(1, 'a'), connection(2, 'b')];
  const byDefault = world({ applications, connections, defaults: [connection(2, 'b')] });
  await expect(byDefault()).resolves.toMatchObject({ tool: { applicationSlug: 'b' }, resolution: 'default' });
  await expect(byDefault({ connectionId: 1 })).resolves.toMatchObject({ tool: { applicationSlug: 'a' } });
  await expect(byDefault({ applicationSlug: 'a' })).rejects.toMatchObject({ code: 'NO_DEFAULT_CONNECTION' });
  await expect(byDefault({ applicationSlug: 'a', connectionId: 2 })).rejects.toMatchObject({
    code: 'WRONG_APPLICATION',
  });
  await expect(byDefault({ applicationSlug: 'c' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(world({ applications, defaults: connections })()).rejects.toMatchObject({
    code: 'AMBIGUOUS_TOOL',
    candidates: ['a', 'b'],
  });
});

test('a tool that an MCP server has got since is found, if the connection or the application is known', async () => {
  const mine = connection(7, 'mcp-7');
  const connections = [mine];
  const asked: object[] = [];
  const missing = { applications: [], connections, defaults: connections, asked };
  expect(await world({ ...missing, added: ['mcp-7'] })({ connectionId: 7 })).toMatchObject({
    connection: mine,
  });
  expect(await world({ ...missing, added: ['mcp-7'] })({ applicationSlug: 'mcp-7' })).toMatchObject({
    connection: mine,
  });
  expect(asked).toEqual([{ connectionId: 7 }, { applicationSlug: 'mcp-7' }]);
  await expect(world(missing)({ connectionId: 7 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(world(missing)()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked).toHaveLength(3);
});

test('with a toolset, only the servers of its connections are asked again for an unknown tool', async () => {
  const connections = [connection(7, 'mcp-7'), connection(8, 'mcp-8')];
  const asked: object[] = [];
  const holding = toolset({ connectionIds: [8] });
  const resolve = world({ applications: [], connections, asked, toolset: holding });
  for (const outside of [{ connectionId: 7 }, { applicationSlug: 'mcp-7' }])
    await expect(resolve({ ...outside, toolsetId: TOOLSET })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(resolve({ connectionId: 8, toolsetId: 'gone' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked).toEqual([]);
  for (const inside of [{ connectionId: 8 }, { applicationSlug: 'mcp-8' }])
    await expect(resolve({ ...inside, toolsetId: TOOLSET })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked).toEqual([{ connectionId: 8 }, { applicationSlug: 'mcp-8' }]);
});

test('with a toolset the call is confined to it, and a default outside is not used', async () => {
  const confined = { connections: [connection(7, 'crm')], defaults: [connection(8, 'crm')] };
  const ask = { toolsetId: TOOLSET };
  await expect(world({ ...confined, toolset: toolset({ connectionIds: [7] }) })(ask)).resolves.toMatchObject({
    connection: { id: 7 },
    resolution: 'toolset',
  });
  await expect(world({ ...confined, toolset: toolset({ connectionIds: [] }) })(ask)).rejects.toMatchObject({
    code: 'NO_TOOLSET_CONNECTION',
  });
  await expect(world(confined)(ask)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
