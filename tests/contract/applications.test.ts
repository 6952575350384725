import { describe, expect } from 'vitest';
import { asOther, expectError, expectList, get, post, stack } from './support/api.ts';
import { createConnection, createMcpConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const KINDS = ['Regular', 'Key', 'OPA', 'MCPClient'];

describe('applications', () => {
  row(
    [
      'what-the-service-does.2',
      'applications.1',
      'application.1',
      'application.2',
      'versioning.7',
      'identifiers-and-naming.1',
      'completion.everywhere.14',
      'completion.applications-and-tools.1',
      'completion.applications-and-tools.16',
    ],
    'the list shows every application with slug, kind and what a chooser needs, by name',
    async () => {
      const { items } = expectList(await get('/v1/applications'));
      expect(items.map((it) => it.slug)).toEqual(
        expect.arrayContaining(['sandbox-crm', 'http', 'postgresql', 'mcp']),
      );
      for (const it of items) {
        expect(KINDS).toContain(it.kind);
        expect(it).toMatchObject({
          name: expect.any(String),
          description: expect.any(String),
          categories: expect.any(Array),
          isAvailable: expect.any(Boolean),
          isMcpEnabled: expect.any(Boolean),
          supportsObjectSelection: expect.any(Boolean),
          maturity: expect.stringMatching(/^(verified|generated)$/),
          toolCount: expect.any(Number),
          triggerTypeCount: expect.any(Number),
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
        });
        expect(it).toHaveProperty('logoUrl');
        expect(it).not.toHaveProperty('authenticationMethods');
      }
      const names = items.map((it) => it.name.toLowerCase());
      expect(names).toEqual(names.toSorted((a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)));
      expect(items.find((it) => it.slug === 'sandbox-crm')).toMatchObject({
        kind: 'Regular',
        isAvailable: true,
      });
      expect(items.find((it) => it.slug === 'mcp')).toMatchObject({ kind: 'MCPClient' });
    },
  );

  row(
    [
      'application.3',
      'application.4',
      'application.5',
      'applications.2',
      'versioning.10',
      'completion.applications-and-tools.3',
      'completion.applications-and-tools.13',
    ],
    'the detail describes how an application is connected: one default method, fields with their secret flags',
    async () => {
      const answer = await get('/v1/applications/sandbox-crm');
      expect(answer.status).toBe(200);
      const methods = answer.body.authenticationMethods;
      expect(methods).toMatchObject([
        { authenticationId: 0, authenticationName: 'OAuth 2.0', requiresOAuthSignIn: true, isDefault: false },
        { authenticationId: 1, authenticationName: 'API key', requiresOAuthSignIn: false, isDefault: true },
        {
          authenticationId: 2,
          authenticationName: 'OAuth client credentials',
          requiresOAuthSignIn: false,
          isDefault: false,
        },
      ]);
      expect(methods[1].fields).toMatchObject([{ name: 'apiToken', isPassword: true, isRequired: true }]);
      expect(answer.body.supportsObjectSelection).toEqual(expect.any(Boolean));
      const { items } = expectList(await get('/v1/applications'));
      for (const { slug } of items) {
        const detail = (await get(`/v1/applications/${slug}`)).body;
        expect(detail.authenticationMethods.filter((it: any) => it.isDefault).length, slug).toBe(1);
        for (const field of detail.authenticationMethods.flatMap((it: any) => it.fields)) {
          expect(field).toMatchObject({
            name: expect.any(String),
            label: expect.any(String),
            description: expect.any(String),
            type: expect.stringMatching(/^(string|number|boolean|select|json)$/),
            isRequired: expect.any(Boolean),
            isPassword: expect.any(Boolean),
            maskInLogs: expect.any(Boolean),
            options: expect.any(Array),
          });
          expect(field).toHaveProperty('defaultValue');
          expect(field).toHaveProperty('providerSlot');
        }
      }
    },
  );

  row('errors.26', 'an unknown application is 404', async () => {
    expectError(await get('/v1/applications/no-such-application'), 404, 'NOT_FOUND');
    expectError(await get('/v1/applications/..%2F..%2Fetc'), 404, 'NOT_FOUND');
  });

  row(
    ['applications.3', 'versioning.8', 'completion.applications-and-tools.12'],
    'kind filters without regard to case, and each kind is a subset of the unfiltered list',
    async () => {
      const all = expectList(await get('/v1/applications')).items.map((it) => it.slug);
      for (const kind of ['Regular', 'regular', 'KEY', 'mcpclient', 'MCPClient']) {
        const { items } = expectList(await get(`/v1/applications?kind=${kind}`));
        for (const it of items) {
          expect(it.kind.toLowerCase()).toBe(kind.toLowerCase());
          expect(all).toContain(it.slug);
        }
      }
      expect(expectList(await get('/v1/applications?kind=regular')).items.length).toBeGreaterThan(0);
    },
  );

  row(
    [
      'application.2',
      'connection.6',
      'completion.applications-and-tools.7',
      'completion.applications-and-tools.8',
      'completion.applications-and-tools.9',
      'completion.applications-and-tools.11',
    ],
    'the unfiltered list has every kind; Key is what takes API keys only, and a connection has the kind of its application',
    async () => {
      const { items } = expectList(await get('/v1/applications'));
      expect(new Set(items.map((it) => it.kind))).toEqual(new Set(KINDS));
      expect(items.find((it) => it.slug === 'agent-crm')).toMatchObject({ kind: 'OPA' });
      const keyOnly = expectList(await get('/v1/applications?kind=Key')).items;
      expect(keyOnly.map((it) => it.slug)).toContain('key-crm');
      expect(keyOnly).toEqual(items.filter((it) => it.kind === 'Key'));
      for (const { slug } of keyOnly) {
        const { authenticationMethods: methods } = (await get(`/v1/applications/${slug}`)).body;
        expect(methods.map((method: any) => method.requiresOAuthSignIn)).not.toContain(true);
      }
      const { authenticationMethods } = (await get('/v1/applications/key-crm')).body;
      expect(authenticationMethods).toMatchObject([
        { authenticationName: 'API key', requiresOAuthSignIn: false, isDefault: true },
      ]);
      // The sandbox CRM needs a key, HTTP needs nothing.
      expect(items.find((it) => it.slug === 'sandbox-crm')).toMatchObject({ kind: 'Regular' });
      const http = (await get('/v1/applications/http')).body.authenticationMethods;
      expect(http.find((it: any) => it.isDefault)).toMatchObject({ authenticationName: 'None', fields: [] });
      const { url: address, apiKey: apiToken } = stack.sandboxCrm;
      const connections = [
        await createConnection({
          applicationSlug: 'key-crm',
          connectionName: 'Key',
          fields: { address, apiToken },
        }),
        await createConnection({ applicationSlug: 'http', connectionName: 'Nothing' }),
      ];
      expect(connections).toMatchObject([{ kind: 'Key' }, { kind: 'Regular', fields: {} }]);
      const [key] = connections;
      expect(expectList(await get('/v1/connections?kind=key')).items.map((it) => it.id)).toEqual([key?.id]);
      const executed = await post(`/v1/tools/key-crm-whoami/execute?connectionId=${key?.id}`, {});
      expect(executed.body).toMatchObject({ isSuccess: true });
      for (const { id } of connections) await removeConnection(id);
    },
  );

  row(
    ['connections-and-sign-in.14', 'versioning.9'],
    'kind=OPA is refused on applications and connections, naming /v1/on-prem-agents',
    async () => {
      for (const path of ['/v1/applications', '/v1/connections']) {
        for (const kind of ['OPA', 'opa']) {
          const answer = await get(`${path}?kind=${kind}`);
          expectError(answer, 400, 'INVALID_ENUM_VALUE');
          expect(answer.body.message).toContain('/v1/on-prem-agents');
        }
      }
    },
  );

  row(
    ['applications.1', 'completion.applications-and-tools.4', 'completion.applications-and-tools.6'],
    'available keeps what can be connected now, as by a direct method, or the others',
    async () => {
      const all = expectList(await get('/v1/applications'));
      const yes = expectList(await get('/v1/applications?available=true'));
      const no = expectList(await get('/v1/applications?available=false'));
      expect(yes.items.every((it) => it.isAvailable)).toBe(true);
      expect(yes.items.map((it) => it.slug)).toEqual(expect.arrayContaining(['http', 'postgresql']));
      expect(no.items.every((it) => !it.isAvailable)).toBe(true);
      expect(yes.totalCount + no.totalCount).toBe(all.totalCount);
    },
  );

  row(
    [
      'applications.1',
      'completion.everywhere.15',
      'completion.applications-and-tools.14',
      'completion.applications-and-tools.15',
    ],
    'a search sorts by relevance with scores, an exact name first',
    async () => {
      const { items } = expectList(await get('/v1/applications?search=PostgreSQL'));
      expect(items[0]).toMatchObject({ slug: 'postgresql' });
      const scores = items.map((it) => it.score);
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
      expect(expectList(await get('/v1/applications?search=zzqqxx')).items).toEqual([]);
    },
  );

  row(
    'application.2',
    'the application that an MCP connection makes belongs to its account alone',
    async () => {
      const connection = await createMcpConnection('Tenancy of applications');
      const slug = `mcp-${connection.id}`;
      expect(connection['applicationSlug']).toBe(slug);
      expect((await get(`/v1/applications/${slug}`)).body).toMatchObject({ slug, kind: 'MCPClient' });
      expect(expectList(await get('/v1/applications?kind=MCPClient')).items.map((it) => it.slug)).toContain(
        slug,
      );
      expectError(await get(`/v1/applications/${slug}`, asOther), 404, 'NOT_FOUND');
      expect(expectList(await get('/v1/applications', asOther)).items.map((it) => it.slug)).not.toContain(
        slug,
      );
      expect(expectList(await get(`/v1/tools?applicationSlug=${slug}`, asOther)).items).toEqual([]);
      await removeConnection(connection.id);
      expectError(await get(`/v1/applications/${slug}`), 404, 'NOT_FOUND');
    },
  );
});
