import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/target.ts';
import { toolDefinition } from '../testing/fixtures.ts';
import { resolveTarget } from './resolve-target.ts';
import type { ResolveTargetDeps, TargetRequest } from './resolve-target.ts';

const TOOLSET = '0c2f7a4e-9f0b-4c57-8d5c-3f5b0a1d2e3f';

/** A catalogue with the tool in `applications`, and an account whose defaults are `defaults`. */
function world(o: {
  applications?: readonly string[];
  connections?: readonly Connection[];
  defaults?: readonly Connection[];
  /** Applications that a reading of tools adds. */
  added?: readonly string[];
  asked?: object[];
}) {
  const { connections = [], defaults = [], added = [], asked = [] } = o;
  const applications = [...(o.applications ?? ['crm'])];
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
      getConnection(_ctx, id) {
        const found = connections.find((each) => each.id === id);
        return found ? Promise.resolve(found) : Promise.reject(notFound('connection'));
      },
      getDefault(_ctx, slug) {
        const found = defaults.find(({ applicationSlug }) => applicationSlug === slug);
        return found
          ? Promise.resolve(found)
          : Promise.reject(new ApiError('NO_DEFAULT_CONNECTION', 'None.'));
      },
      readToolsAgain: (_ctx, of) => {
        asked.push(of);
        applications.push(...added);
        return Promise.resolve(added.length > 0);
      },
      listDefaults: (_ctx, slugs) =>
        Promise.resolve(defaults.filter(({ applicationSlug }) => slugs.includes(applicationSlug))),
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

test('an end user never gets a default of the account, not even to resolve an ambiguous slug', async () => {
  const o = { connections: [connection(7, 'crm')], defaults: [connection(8, 'crm')] };
  const refusal = { code: 'NO_DEFAULT_CONNECTION' };
  await expect(world(o)({ endUserId: 'customer-1' })).rejects.toMatchObject(refusal);
  await expect(
    world({ ...o, applications: ['crm', 'other'] })({ endUserId: 'customer-1' }),
  ).rejects.toMatchObject(refusal);
  await expect(world(o)({ endUserId: 'customer-1', connectionId: 7 })).resolves.toMatchObject({
    connection: { id: 7 },
    resolution: 'explicit',
  });
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
