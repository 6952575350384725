import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { applicationMessage, toolMessage, triggerTypeMessage } from '@fairlead/rest-records/testing/messages';
import { presentTool } from '@fairlead/rest-records/tool';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { startRemote } from '../testing/remote.ts';
import { routeTable } from './route-table.ts';

const application = applicationMessage();
const tool = toolMessage();

/** The catalog's response: it has a score if there was a search. */
const scored = <T extends { readonly score?: number | undefined }>(item: T, search: string): T =>
  search.trim() === '' ? { ...item, score: undefined } : item;

let asked: Record<string, unknown> = {};
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const capture = (request: object) => {
    asked = { ...request };
  };
  const remote = await startRemote((router) =>
    router
      .service(ApplicationService, {
        listApplications(request) {
          capture(request);
          return { items: [scored(application, request.search)], totalCount: 1 };
        },
        getApplication(request) {
          capture(request);
          return { application };
        },
      })
      .service(ToolService, {
        listTools(request) {
          capture(request);
          return { items: [scored(tool, request.search)], totalCount: 1 };
        },
        listToolRecords(request) {
          capture(request);
          const { score } = scored(tool, request.search);
          const itemsJson = jsonBytes([{ ...presentTool(tool), ...(score && { score }) }]);
          return { itemsJson, totalCount: 1 };
        },
        getTool(request) {
          capture(request);
          if (request.toolSlug === 'search')
            throw new ApiError('AMBIGUOUS_TOOL', 'Several.', { candidates: ['a', 'b'] });
          return { tool };
        },
      })
      .service(TriggerTypeService, {
        listTriggerTypes(request) {
          capture(request);
          return { items: [scored(triggerTypeMessage(), request.search)], totalCount: 1 };
        },
      })
      .service(ToolsetService, {
        getToolsetTool(request) {
          capture(request);
          return { tool };
        },
      })
      .service(SignInService, {
        listSignInClients: () => ({
          clients: [{ applicationSlug: 'sandbox-crm', authenticationId: 0, isOwn: true }],
        }),
      }),
  );
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  asked = {};
});

describe('applications', () => {
  test('the list tells the catalog which OAuth clients are at hand, and shows no score without a search', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/applications');
    expect(status).toBe(200);
    expect(asked).toMatchObject({
      page: { offset: 0, top: 100 },
      search: '',
      signInClients: [{ applicationSlug: 'sandbox-crm', authenticationId: 0, isOwn: true }],
    });
    expect([asked['kind'], asked['available']]).toEqual([undefined, undefined]);
    expect(body['items']).toEqual([
      {
        slug: 'sandbox-crm',
        name: 'Sandbox CRM',
        description: '',
        categories: [],
        kind: 'Regular',
        logoUrl: null,
        isAvailable: true,
        isMcpEnabled: false,
        supportsObjectSelection: false,
        maturity: 'verified',
        toolCount: 3,
        triggerTypeCount: 0,
        createdAt: '2026-01-02T03:04:05.006Z',
        updatedAt: '2026-01-02T03:04:05.006Z',
      },
    ]);
  });

  test('filters and search are handed on; items of a search carry their score', async () => {
    const { body } = await call(
      edge,
      'GET',
      '/v1/applications?search=bill+a%20customer&kind=key&available=false&offset=2&top=3',
    );
    expect(asked).toMatchObject({
      search: 'bill a customer',
      kind: ApplicationKind.KEY,
      available: false,
      page: { offset: 2, top: 3 },
    });
    expect(body['items']).toMatchObject([{ score: 0.5 }]);
  });

  test('search= means no search', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/applications?search=');
    expect(status).toBe(200);
    expect(body['text']).not.toContain('score');
  });

  test.each(['available=yes', 'available=True', 'available=', 'available=1'])(
    '%s is a VALIDATION_ERROR',
    async (query) => {
      const { body } = await call(edge, 'GET', `/v1/applications?${query}`);
      expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field: 'available' }] });
    },
  );

  test('kind=OPA is refused and says where on-prem agents are', async () => {
    const { body } = await call(edge, 'GET', '/v1/applications?kind=OPA');
    expect(body['errorCode']).toBe('INVALID_ENUM_VALUE');
    expect(body['message']).toContain('/v1/on-prem-agents');
  });

  test('the detail adds the authentication methods', async () => {
    const { body } = await call(edge, 'GET', '/v1/applications/sandbox-crm');
    expect(asked['slug']).toBe('sandbox-crm');
    expect(body).not.toHaveProperty('score');
    expect(body['authenticationMethods']).toEqual([
      {
        authenticationId: 1,
        authenticationName: 'API key',
        requiresOAuthSignIn: false,
        isDefault: true,
        fields: [
          expect.objectContaining({
            name: 'size',
            type: 'number',
            defaultValue: 5,
            options: [{ value: 'a', label: 'A' }],
            providerSlot: null,
          }),
          expect.objectContaining({
            name: 'apiToken',
            isRequired: true,
            isPassword: true,
            defaultValue: null,
            providerSlot: 'Key1',
          }),
        ],
      },
    ]);
  });

  test.each(['a%20b', '%00', '-', 'x'.repeat(201)])(
    'the slug %j is the 404 of an unknown application',
    async (slug) => {
      const { status, body } = await call(edge, 'GET', `/v1/applications/${slug}`);
      const message = `There is no application ${decodeURIComponent(slug)}.`;
      expect([status, body['message'], body['candidates']]).toEqual([404, message, []]);
    },
  );
});

describe('tools', () => {
  test('the list hands on its filters; items of a search carry their score', async () => {
    const { body } = await call(edge, 'GET', '/v1/tools?applicationSlug=sandbox-crm&search=contact');
    expect(asked).toMatchObject({
      applicationSlug: 'sandbox-crm',
      search: 'contact',
      page: { offset: 0, top: 100 },
    });
    expect(body['items']).toMatchObject([
      { toolSlug: 'sandbox-crm-create-contact', inputSchema: { type: 'object' }, score: 1 },
    ]);
  });

  test('an ambiguous slug is 409 with the applications as candidates', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/tools/search');
    expect([status, body['errorCode'], body['candidates']]).toEqual([409, 'AMBIGUOUS_TOOL', ['a', 'b']]);
    await call(edge, 'GET', '/v1/tools/other?applicationSlug=a');
    expect(asked).toMatchObject({ toolSlug: 'other', applicationSlug: 'a' });
  });

  test('a toolset is checked by its form, and its service asked for the tool', async () => {
    const toolsetId = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
    const found = await call(edge, 'GET', `/v1/tools/x?toolsetId=${toolsetId}`);
    expect(found.status).toBe(200);
    expect(asked).toMatchObject({ toolsetId, toolSlug: 'x', applicationSlug: '' });
    const malformed = await call(edge, 'GET', '/v1/tools/x?toolsetId=7');
    expect(malformed.body).toMatchObject({
      errorCode: 'VALIDATION_ERROR',
      details: [{ field: 'toolsetId' }],
    });
  });
});

test('whoami shows the principal and nothing of the credential', async () => {
  const { status, body } = await call(edge, 'GET', '/v1/auth/whoami');
  expect(status).toBe(200);
  const {
    isAdministrationGranted: _grant,
    budgets: _budgets,
    defaultLicence: _licence,
    maxConnectionsPerEndUser: _most,
    ...shown
  } = TEST_OWNER;
  expect(JSON.parse(String(body['text']))).toEqual(shown);
});

describe('trigger types', () => {
  test('are listed in full, without a score unless there is a search', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/triggers/types?applicationSlug=schedule');
    expect(status).toBe(200);
    expect(asked).toMatchObject({ applicationSlug: 'schedule', search: '', page: { offset: 0, top: 100 } });
    expect(body['items']).toEqual([
      {
        slug: 'schedule',
        name: 'Schedule',
        description: 'Fires.',
        applicationSlug: 'schedule',
        requiresConnection: false,
        configSchema: { type: 'object' },
        payloadSchema: {},
        kind: 'schedule',
        createdAt: '2026-01-02T03:04:05.006Z',
        updatedAt: '2026-01-02T03:04:05.006Z',
      },
    ]);
    const found = await call(edge, 'GET', '/v1/triggers/types?search=daily');
    expect(found.body['items']).toMatchObject([{ score: 0.5 }]);
  });
});
