import type { AuthenticationMethod, ConnectorHead, ToolDefinition } from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';

/** A tool with a required `name`, paging, filters and sorts, unless overridden. */
export function toolDefinition(o: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    toolSlug: 'crm-list-contacts',
    toolName: 'List contacts',
    description: 'Lists contacts.',
    category: 'CRM',
    version: '1.2.0',
    aliases: [],
    isDeprecated: false,
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    outputSchema: { type: 'object', properties: { items: { type: 'array' } } },
    retryClass: 'readOnly',
    isDestructive: false,
    filters: { max: 2, fields: ['name', 'email'], query: { name: 'filter', value: '{{filter.value}}' } },
    sorts: { max: 1, fields: ['name'], query: { name: 'sort', value: '{{sort.field}}' } },
    paging: { type: 'offset', topQuery: 'limit', offsetQuery: 'offset', maxTop: 100 },
    execution: {
      type: 'http',
      request: {
        method: 'GET',
        url: '/contacts',
        query: { name: '{{input.name}}' },
        headers: {},
        body: null,
      },
      response: { type: 'list', itemsPointer: '/items', totalPointer: null },
    },
    ...o,
  };
}

/** An API-key method (authenticationId 1) unless overridden. */
export function authenticationMethod(o: Partial<AuthenticationMethod> = {}): AuthenticationMethod {
  return {
    authenticationId: 1,
    authenticationName: 'API key',
    isDefault: true,
    fields: [],
    scheme: { type: 'bearer', token: '{{field.apiToken}}' },
    test: null,
    baseUrl: null,
    translations: {},
    ...o,
  };
}

/** A connector with the given methods, one API key unless overridden. */
export function connectorHead(o: Partial<ConnectorHead> = {}): ConnectorHead {
  return {
    slug: 'crm',
    name: 'CRM',
    description: 'A CRM.',
    categories: [],
    kind: 'Regular',
    logoUrl: null,
    isMcpEnabled: true,
    supportsObjectSelection: false,
    maturity: 'verified',
    version: '1.2.0',
    settings: [],
    baseUrl: 'http://vendor.test',
    authenticationMethods: [authenticationMethod()],
    headers: {},
    errorMessagePointers: [],
    rateLimit: null,
    agentSettings: null,
    ...o,
  };
}

/** An OAuth sign-in method (authenticationId 0). */
export function oauthMethod(): AuthenticationMethod {
  return authenticationMethod({
    authenticationId: 0,
    authenticationName: 'OAuth 2.0',
    scheme: defineOAuth2Scheme({
      grant: 'authorizationCode',
      authorizationUrl: 'http://vendor.test/authorize',
      tokenUrl: 'http://vendor.test/token',
      allowsAuthProvider: true,
    }),
  });
}
