import type { Connector, ToolDefinition } from '@fairlead/connector-model/model';
import type { CataloguedApplication } from '../domain/application.ts';

/** A tool for tests, well-formed and small. */
export function testTool(toolSlug: string, members: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    toolSlug,
    toolName: toolSlug,
    description: `Does ${toolSlug}.`,
    category: 'Tests',
    version: '1.0.0',
    isDeprecated: false,
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: {} },
    retryClass: 'readOnly',
    isDestructive: false,
    filters: null,
    sorts: null,
    paging: null,
    execution: {
      type: 'http',
      request: { method: 'GET', url: '/', query: {}, headers: {}, body: null },
      response: { type: 'object', pointer: '' },
    },
    ...members,
  };
}

/** A connector for tests, well-formed and small: one method that needs nothing. */
export function testConnector(slug: string, members: Partial<Connector> = {}): Connector {
  return {
    slug,
    name: slug,
    description: `The application ${slug}.`,
    categories: [],
    kind: 'Regular',
    logoUrl: null,
    isMcpEnabled: true,
    supportsObjectSelection: false,
    maturity: 'verified',
    version: '1.0.0',
    settings: [],
    baseUrl: 'https://api.example.com',
    authenticationMethods: [
      {
        authenticationId: 0,
        authenticationName: 'None',
        isDefault: true,
        fields: [],
        scheme: { type: 'none' },
        test: null,
      },
    ],
    errorMessagePointers: [],
    tools: [],
    ...members,
  };
}

/** The connector as the catalogue holds it, made and changed on one day. */
export function catalogued(connector: Connector): CataloguedApplication {
  const day = new Date('2026-01-01T00:00:00.000Z');
  return { connector, createdAt: day, updatedAt: day };
}
