import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import { compileConnectors } from '@fairlead/connector-model/compile';
import type { AuthenticationMethod, Connector } from '@fairlead/connector-model/model';
import { ApplicationKind, FieldType } from '@fairlead/contracts/catalog/v1/application_pb';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { jsonOf } from '@fairlead/service-kit/testing/json-bytes';
import { createInstallation, putApplication } from './testing/catalog.ts';
import type { Installation, Replica } from './testing/catalog.ts';
import { testConnector } from './testing/connectors.ts';

const settings = { 'sandbox-crm': { baseUrl: 'http://crm.test' } };
const decoder = createConnectorDecoder();
let bundled: readonly Connector[];
let installation: Installation;
let replica: Replica;

beforeAll(async () => {
  const result = await compileConnectors(fileURLToPath(new URL('../../../connectors/', import.meta.url)));
  if (!result.ok) throw new Error('the bundled connectors do not compile');
  bundled = result.connectors;
  installation = await createInstallation(inject('mongodbUri'), inject('natsUrl'));
  replica = await installation.start(bundled, { settings });
});
afterAll(() => installation.remove());

const refused = async (
  call: Promise<unknown>,
): Promise<{ code: ErrorCode; candidates: readonly string[]; fields: readonly string[] }> => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'ApiError' });
  const { code, candidates, details } = error as {
    code: ErrorCode;
    candidates: string[];
    details: { field: string }[];
  };
  return { code, candidates, fields: details.map(({ field }) => field) };
};

const signInMethod = (): AuthenticationMethod => {
  const method = bundled.find(({ slug }) => slug === 'sandbox-crm')?.authenticationMethods[0];
  if (method === undefined) throw new Error('sandbox-crm has no sign-in');
  return method;
};

/** The platform's applications, by name. */
const PLATFORM = [
  'discord',
  'dropbox',
  'fairlead',
  'graphql',
  'http',
  'http-webhook',
  'linear',
  'mcp',
  'mongodb',
  'mysql',
  'notion',
  'onprem-database',
  'onprem-files',
  'onprem-http',
  'postgresql',
  'rss',
  'sandbox-crm',
  'schedule',
  'slack',
  'smtp',
  'stripe',
];

describe('ListApplications', () => {
  const ctx = testContext();

  it('lists the platform by name, with what an application can do', async () => {
    const { items, totalCount } = await replica.applications.listApplications(ctx, {});
    expect(items.map(({ slug }) => slug)).toEqual(PLATFORM);
    expect(totalCount).toBe(PLATFORM.length);
    const crm = items.find(({ slug }) => slug === 'sandbox-crm');
    expect(crm).toMatchObject({
      name: 'Sandbox CRM',
      kind: ApplicationKind.REGULAR,
      toolCount: 14,
      triggerTypeCount: 2,
      isAvailable: true,
      isMcpEnabled: true,
      authenticationMethods: [],
    });
    for (const { logoUrl } of items) expect(logoUrl).toMatch(/^data:image\/svg/);
    expect(items[0]?.score).toBeUndefined();
  });

  it('filters by kind and availability', async () => {
    const mcp = await replica.applications.listApplications(ctx, { kind: ApplicationKind.MCP_CLIENT });
    expect(mcp.items.map(({ slug }) => slug)).toEqual(['mcp']);
    const none = await replica.applications.listApplications(ctx, { available: false });
    expect([none.items, none.totalCount]).toEqual([[], 0]);
  });

  it('searches by relevance with scores, the exact name first', async () => {
    const { items } = await replica.applications.listApplications(ctx, { search: 'sandbox crm' });
    expect([items[0]?.slug, items[0]?.score]).toEqual(['sandbox-crm', 1]);
    const related = await replica.applications.listApplications(ctx, { search: 'sql database' });
    expect(['mysql', 'postgresql']).toContain(related.items[0]?.slug);
    expect(related.items[0]?.score).toBeLessThan(1);
  });

  it('pages, and is empty beyond the end', async () => {
    const page = await replica.applications.listApplications(ctx, { page: { offset: 1, top: 2 } });
    expect([page.items.map(({ slug }) => slug), page.totalCount]).toEqual([
      PLATFORM.slice(1, 3),
      PLATFORM.length,
    ]);
    const beyond = await replica.applications.listApplications(ctx, { page: { offset: 99, top: 2 } });
    expect([beyond.items, beyond.totalCount]).toEqual([[], PLATFORM.length]);
  });

  it.each([
    ['a negative offset', { page: { offset: -1, top: 1 } }, 'VALIDATION_ERROR', 'offset'],
    ['a top of 0', { page: { offset: 0, top: 0 } }, 'VALIDATION_ERROR', 'top'],
    ['a top above 100', { page: { offset: 0, top: 101 } }, 'VALIDATION_ERROR', 'top'],
    ['a search of more than 1 000 characters', { search: 'x'.repeat(1001) }, 'VALIDATION_ERROR', 'search'],
    ['a kind that is none', { kind: ApplicationKind.UNSPECIFIED }, 'INVALID_ENUM_VALUE', 'kind'],
  ])('refuses %s', async (_what, request, code, field) => {
    expect(await refused(replica.applications.listApplications(ctx, request))).toMatchObject({
      code,
      fields: [field],
    });
  });
});

describe('GetApplication', () => {
  it('returns the authentication methods with their fields', async () => {
    const { application } = await replica.applications.getApplication(testContext(), { slug: 'sandbox-crm' });
    expect(
      application?.authenticationMethods.map((method) => [
        method.authenticationId,
        method.requiresOauthSignIn,
        method.isDefault,
        method.fields.map(({ name }) => name),
      ]),
    ).toEqual([
      [0, true, false, ['clientId', 'clientSecret', 'loginHint', 'workspace']],
      [1, false, true, ['apiToken']],
      [2, false, false, ['clientId', 'clientSecret']],
    ]);
    const [clientId, , , workspace] = application?.authenticationMethods[0]?.fields ?? [];
    expect([clientId?.providerSlot, clientId?.hasDynamicOptions]).toEqual(['Key1', false]);
    expect([workspace?.providerSlot, workspace?.hasDynamicOptions]).toEqual([undefined, true]);
  });

  it('returns types, defaults and options of fields', async () => {
    const { application } = await replica.applications.getApplication(testContext(), { slug: 'postgresql' });
    const fields = application?.authenticationMethods[0]?.fields ?? [];
    const field = (name: string) => fields.find((candidate) => candidate.name === name);
    expect(field('port')).toMatchObject({ type: FieldType.NUMBER, defaultValueJson: jsonOf(5432) });
    expect(field('sslMode')?.options.map(({ value }) => value)).toEqual([
      'disable',
      'prefer',
      'require',
      'verify-full',
    ]);
    expect([field('password')?.isPassword, field('password')?.defaultValueJson]).toEqual([true, undefined]);
  });

  it('is NOT_FOUND for an unknown slug', async () => {
    const call = replica.applications.getApplication(testContext(), { slug: 'nope' });
    expect(await refused(call)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('GetConnector', () => {
  it('returns the connector without its tools, with settings filled in', async () => {
    const { encodedConnector } = await replica.applications.getConnector(testContext(), {
      applicationSlug: 'sandbox-crm',
    });
    const connector = decoder.head(encodedConnector);
    expect(connector).toMatchObject({ slug: 'sandbox-crm', baseUrl: 'http://crm.test/api' });
    expect(new TextDecoder().decode(encodedConnector)).not.toContain('toolSlug');
    expect(JSON.stringify(connector)).not.toContain('{{setting.');
    expect(JSON.stringify(connector)).toContain('http://crm.test/oauth/token');
  });

  it('serves the platform’s applications to a service that calls without a user', async () => {
    const ctx = testContext({ caller: { kind: 'service', service: 'connections' } });
    expect(await replica.applications.getConnector(ctx, { applicationSlug: 'http' })).toBeDefined();
    expect(await refused(putApplication(replica, ctx, testConnector('x')))).toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });
});

describe('tools', () => {
  const ctx = testContext();

  it('are listed by name, of one application or all', async () => {
    const all = await replica.tools.listTools(ctx, {});
    expect(all.totalCount).toBe(bundled.flatMap(({ tools }) => tools).length);
    expect(all.items.map(({ toolName }) => toolName)).toEqual(
      all.items
        .map(({ toolName }) => toolName)
        .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    const own = await replica.tools.listTools(ctx, {
      applicationSlug: 'postgresql',
      page: { offset: 1, top: 2 },
    });
    expect([own.items.map(({ toolSlug }) => toolSlug), own.totalCount]).toEqual([
      ['postgresql-execute-statement', 'postgresql-list-rows'],
      5,
    ]);
  });

  it('of an unknown application are an empty page', async () => {
    const { items, totalCount } = await replica.tools.listTools(ctx, { applicationSlug: 'nope' });
    expect([items, totalCount]).toEqual([[], 0]);
  });

  it('are searched within an application, the exact slug first with score 1', async () => {
    const { items } = await replica.tools.listTools(ctx, {
      search: 'sandbox-crm-list-deals',
      applicationSlug: 'sandbox-crm',
    });
    expect([items[0]?.toolSlug, items[0]?.score]).toEqual(['sandbox-crm-list-deals', 1]);
    expect(new Set(items.map(({ applicationSlug }) => applicationSlug))).toEqual(new Set(['sandbox-crm']));
    const found = await replica.tools.listTools(ctx, {
      search: 'bill a contact',
      page: { offset: 0, top: 1 },
    });
    expect(found.items[0]?.toolSlug).toBe('sandbox-crm-create-invoice');
    expect(found.totalCount).toBeGreaterThan(1);
  });

  it('come in full by slug', async () => {
    const { tool } = await replica.tools.getTool(ctx, { toolSlug: 'sandbox-crm-list-contacts' });
    expect(tool).toMatchObject({
      toolName: 'List contacts',
      applicationSlug: 'sandbox-crm',
      applicationName: 'Sandbox CRM',
      version: '1.2.3',
      isDeprecated: false,
      supportsFilters: true,
      supportsSort: true,
      supportsTopOffset: true,
      maxFilters: 5,
      maxSorts: 2,
    });
    const schemas = [tool?.inputSchemaJson, tool?.outputSchemaJson].map((json) =>
      new LazyJson(json ?? new Uint8Array()).parse(),
    );
    expect(schemas).toMatchObject([{ type: 'object' }, { properties: { items: {} } }]);
  });

  it('resolve to what is needed to run them', async () => {
    const { candidates } = await replica.tools.resolveTool(ctx, { toolSlug: 'sandbox-crm-get-contact' });
    expect(
      candidates.map(({ applicationSlug, encodedDefinition }) => [
        applicationSlug,
        decoder.tool(encodedDefinition),
      ]),
    ).toEqual([['sandbox-crm', bundled.find(({ slug }) => slug === 'sandbox-crm')?.tools[1]]]);
  });

  it('that do not exist, or not in that application, are NOT_FOUND', async () => {
    for (const request of [{ toolSlug: 'nope' }, { toolSlug: 'http-send-request', applicationSlug: 'mcp' }]) {
      expect(await refused(replica.tools.getTool(ctx, request))).toMatchObject({ code: 'NOT_FOUND' });
      expect(await refused(replica.tools.resolveTool(ctx, request))).toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('a connector that lacks a setting of the operator', () => {
  it('is omitted with a log line that names the setting, and its slug stays reserved', async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const log = createLogger({ service: 'catalog', level: 'warn', destination });
    const other = await installation.start(bundled, { log });
    const ctx = testContext();
    const { items } = await other.applications.listApplications(ctx, {});
    expect(items.map(({ slug }) => slug)).toEqual(PLATFORM.filter((slug) => slug !== 'sandbox-crm'));
    expect(lines.join('')).toMatch(/"connector":"sandbox-crm".*baseUrl/);
    expect(await refused(putApplication(other, ctx, testConnector('sandbox-crm')))).toMatchObject({
      code: 'CONFLICT',
    });
  });
});

describe('times of the platform’s applications', () => {
  it('are the same after a restart, and updatedAt moves with the content', async () => {
    // Today's date, so that callers' signatures are valid.
    const clock = new ManualClock(new Date());
    const first = clock.now();
    const times = async (connector: Connector) => {
      const started = await installation.start([connector], { clock });
      const { application } = await started.applications.getApplication(testContext(), { slug: 'timed' });
      await started.close();
      if (!application?.createdAt || !application.updatedAt) throw new Error('an application without times');
      return [timestampDate(application.createdAt), timestampDate(application.updatedAt)];
    };
    expect(await times(testConnector('timed'))).toEqual([first, first]);
    clock.advance(1000);
    expect(await times(testConnector('timed'))).toEqual([first, first]);
    clock.advance(1000);
    expect(await times(testConnector('timed', { name: 'Changed' }))).toEqual([first, clock.now()]);
  });
});

describe('availability', () => {
  it('of a sign-in needs a client for exactly that method', async () => {
    const ctx = testContext();
    const connector = testConnector('needs-client', {
      authenticationMethods: [{ ...signInMethod(), isDefault: true }],
    });
    await putApplication(replica, ctx, withoutTemplates(connector));
    const isAvailable = async (authenticationId: number) => {
      const signInClients = [{ applicationSlug: 'needs-client', authenticationId }];
      const { application } = await replica.applications.getApplication(ctx, {
        slug: 'needs-client',
        signInClients,
      });
      const { items } = await replica.applications.listApplications(ctx, { signInClients, available: false });
      expect(items.some(({ slug }) => slug === 'needs-client')).toBe(application?.isAvailable === false);
      return application?.isAvailable;
    };
    expect(await isAvailable(0)).toBe(true);
    expect(await isAvailable(5)).toBe(false);
  });
});

/** An account's own connector has no settings. */
function withoutTemplates(connector: Connector): Connector {
  return JSON.parse(
    JSON.stringify(connector).replaceAll('{{setting.baseUrl}}', 'https://crm.test'),
  ) as Connector;
}
