import type { ApiError } from '@fairlead/errors/api-error';
import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import type { Connector, ToolDefinition } from '@fairlead/connector-model/model';
import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { accountOf } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { createInstallation, putApplication } from './testing/catalog.ts';
import type { Installation, Replica } from './testing/catalog.ts';
import { testConnector, testTool } from './testing/connectors.ts';

const platform = [
  testConnector('crm', {
    name: 'CRM',
    tools: [testTool('crm-list-deals'), testTool('echo', { toolName: 'Echo' })],
  }),
  testConnector('zoo', { name: 'Zoo' }),
];
const mcp = (slug: string, members: Partial<Connector> = {}): Connector =>
  testConnector(slug, {
    name: 'My server',
    tools: [testTool('echo', { toolName: 'Echo' }), testTool('dream')],
    ...members,
  });

const decoder = createConnectorDecoder();
let installation: Installation;
let replica: Replica;
let owner = testContext();
let stranger = testContext();

beforeAll(async () => {
  installation = await createInstallation(inject('mongodbUri'), inject('natsUrl'));
  replica = await installation.start(platform);
});
afterAll(() => installation.remove());
beforeEach(() => {
  owner = testContext();
  stranger = testContext();
});

const put = (ctx: typeof owner, connector: Connector, at = replica) => putApplication(at, ctx, connector);

async function slugs(ctx: typeof owner, at = replica): Promise<readonly string[]> {
  return (await at.applications.listApplications(ctx, {})).items.map(({ slug }) => slug);
}

describe('an account’s own application', () => {
  it('is stored for the account by a service, and a client without a credential executes its tools and changes nothing', async () => {
    const accountId = accountOf(owner);
    const service = { kind: 'serviceForAccount', service: 'connections', accountId } as const;
    await put(testContext({ caller: service }), mcp('mcp-7'));
    const caller = { kind: 'anonymousClient', accountId, serverId: 'server-1' } as const;
    const anonymous = testContext({ caller });
    const { candidates } = await replica.tools.resolveTool(anonymous, { toolSlug: 'dream' });
    expect(candidates).toMatchObject([{ applicationSlug: 'mcp-7' }]);
    expect(await replica.applications.getConnector(anonymous, { applicationSlug: 'mcp-7' })).toBeDefined();
    const forbidden = { code: 'FORBIDDEN' };
    await expect(put(anonymous, mcp('mcp-8'))).rejects.toMatchObject(forbidden);
    await expect(slugs(anonymous)).rejects.toMatchObject(forbidden);
  });

  it('is listed among the platform’s, and its tools too, page by page', async () => {
    await put(owner, mcp('mcp-7'));
    expect(await slugs(owner)).toEqual(['crm', 'mcp-7', 'zoo']);
    const pages = await Promise.all(
      [0, 1, 2, 3, 4].map((offset) => replica.tools.listTools(owner, { page: { offset, top: 1 } })),
    );
    expect(pages.flatMap(({ items }) => items.map((tool) => [tool.toolSlug, tool.applicationSlug]))).toEqual([
      ['crm-list-deals', 'crm'],
      ['dream', 'mcp-7'],
      ['echo', 'crm'],
      ['echo', 'mcp-7'],
    ]);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([4, 4, 4, 4, 4]);
  });

  it('is found, described and searched by its account', async () => {
    await put(owner, mcp('mcp-7'));
    const { application } = await replica.applications.getApplication(owner, { slug: 'mcp-7' });
    expect(application).toMatchObject({ name: 'My server', kind: ApplicationKind.REGULAR, toolCount: 2 });
    const found = await replica.applications.listApplications(owner, { search: 'my server' });
    expect([found.items[0]?.slug, found.items[0]?.score]).toEqual(['mcp-7', 1]);
    expect((await replica.tools.listTools(owner, { search: 'dream' })).items[0]?.applicationSlug).toBe(
      'mcp-7',
    );
  });

  it('is invisible to another account', async () => {
    await put(owner, mcp('mcp-7'));
    expect(await slugs(stranger)).toEqual(['crm', 'zoo']);
    expect((await replica.applications.listApplications(stranger, { search: 'my server' })).items).toEqual(
      [],
    );
    expect((await replica.tools.listTools(stranger, { search: 'dream' })).items).toEqual([]);
    expect((await replica.tools.listTools(stranger, { applicationSlug: 'mcp-7' })).totalCount).toBe(0);
    expect((await replica.tools.resolveTool(stranger, { toolSlug: 'echo' })).candidates).toHaveLength(1);
  });

  it('is the same NOT_FOUND for another account as one that does not exist', async () => {
    await put(owner, mcp('mcp-7'));
    const errorOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
    const calls = [
      (slug: string) => replica.applications.getApplication(stranger, { slug }),
      (slug: string) => replica.applications.getConnector(stranger, { applicationSlug: slug }),
      (slug: string) => replica.tools.getTool(stranger, { toolSlug: 'dream', applicationSlug: slug }),
      (slug: string) => replica.tools.resolveTool(stranger, { toolSlug: 'dream', applicationSlug: slug }),
    ];
    for (const call of calls) {
      const foreign = await errorOf(call('mcp-7'));
      expect(foreign).toMatchObject({ code: 'NOT_FOUND' });
      const missing = (await errorOf(call('no-such'))) as ApiError;
      const message = missing.message.replace('no-such', 'mcp-7');
      expect(foreign).toMatchObject({ message, candidates: missing.candidates });
    }
  });

  it('cannot be replaced or removed by another account', async () => {
    await put(owner, mcp('mcp-7'));
    await put(stranger, mcp('mcp-7', { name: 'Theirs' }));
    await replica.applications.deleteAccountApplication(stranger, { slug: 'mcp-7' });
    const { application } = await replica.applications.getApplication(owner, { slug: 'mcp-7' });
    expect(application?.name).toBe('My server');
    expect(await slugs(stranger)).toEqual(['crm', 'zoo']);
  });

  it('is replaced, and removed any number of times', async () => {
    await put(owner, mcp('mcp-7'));
    const { application } = await put(owner, mcp('mcp-7', { name: 'Renamed' }));
    expect(application).toMatchObject({ name: 'Renamed', authenticationMethods: [{ isDefault: true }] });
    expect(await slugs(owner)).toEqual(['crm', 'mcp-7', 'zoo']);
    await replica.applications.deleteAccountApplication(owner, { slug: 'mcp-7' });
    await replica.applications.deleteAccountApplication(owner, { slug: 'mcp-7' });
    expect(await slugs(owner)).toEqual(['crm', 'zoo']);
  });

  it('cannot take a slug of the platform, nor remove its application', async () => {
    await expect(put(owner, mcp('crm'))).rejects.toMatchObject({ code: 'CONFLICT' });
    await replica.applications.deleteAccountApplication(owner, { slug: 'crm' });
    expect(await slugs(owner)).toEqual(['crm', 'zoo']);
  });

  it('is refused with the path of each problem', async () => {
    const wrong = { ...mcp('mcp-7'), tools: [{ toolSlug: 'x' } as ToolDefinition] };
    await expect(put(owner, wrong)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: expect.arrayContaining([
        expect.objectContaining({ field: 'connector.tools[0].toolName' }),
      ]) as unknown,
    });
    await expect(replica.applications.putAccountApplication(owner, {})).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'connector' }],
    });
  });

  it('can be sent with schemas of the maximum depth', async () => {
    const deep = (levels: number): Record<string, never> =>
      (levels === 0 ? {} : { not: deep(levels - 1) }) as Record<string, never>;
    // The root, the list of tools, the tool and the schema also count as levels.
    const connector = mcp('mcp-9', {
      tools: [testTool('deep', { inputSchema: { type: 'object', ...deep(35) } })],
    });
    await put(owner, connector);
    const { candidates } = await replica.tools.resolveTool(owner, { toolSlug: 'deep' });
    const [resolved] = candidates.map(({ encodedDefinition }) => decoder.tool(encodedDefinition));
    expect(resolved?.inputSchema).toEqual(connector.tools[0]?.inputSchema);
    const { tool } = await replica.tools.getTool(owner, { toolSlug: 'deep' });
    expect(tool && new LazyJson(tool.inputSchemaJson).parse()).toEqual(connector.tools[0]?.inputSchema);
  });
});

describe('whose schemas are trusted', () => {
  const trust = async (): Promise<unknown[]> => {
    const { candidates } = await replica.tools.resolveTool(owner, { toolSlug: 'echo' });
    return candidates.map(({ applicationSlug, isPlatform }) => [applicationSlug, isPlatform]);
  };

  it('depends on where the application is stored, not on what it says or whose tool it copies', async () => {
    const claims = { isPlatform: true, is_platform: true, owner: 'platform' };
    const tools = [{ ...testTool('echo', { toolName: 'Echo' }), ...claims }];
    await put(owner, mcp('mcp-7', { tools, ...claims }));
    expect(await trust()).toEqual([
      ['crm', true],
      ['mcp-7', false],
    ]);
  });
});

describe('a tool slug of several applications', () => {
  it('is ambiguous without an application, naming the candidates in order', async () => {
    await put(owner, mcp('mcp-7'));
    await put(owner, mcp('a-first'));
    const candidates = ['a-first', 'crm', 'mcp-7'];
    await expect(replica.tools.getTool(owner, { toolSlug: 'echo' })).rejects.toMatchObject({
      code: 'AMBIGUOUS_TOOL',
      candidates,
    });
    const { tool } = await replica.tools.getTool(owner, { toolSlug: 'echo', applicationSlug: 'mcp-7' });
    expect(tool?.applicationSlug).toBe('mcp-7');
    const resolved = await replica.tools.resolveTool(owner, { toolSlug: 'echo' });
    expect(resolved.candidates.map(({ applicationSlug }) => applicationSlug)).toEqual(candidates);
  });

  it('is not ambiguous for an account that sees only one of them', async () => {
    await put(owner, mcp('mcp-7'));
    expect((await replica.tools.getTool(stranger, { toolSlug: 'echo' })).tool?.applicationSlug).toBe('crm');
  });
});
