import { Secret } from '@fairlead/service-kit/secret';
import { DEFAULT_SETTINGS } from '../domain/mcp-server.ts';
import type { ServerWithToken } from '../domain/mcp-server.ts';

const NOON = new Date('2026-11-28T12:00:00.000Z');

/** A server with one connection and every default, unless overridden. */
export function mcpServer(o: Partial<ServerWithToken> = {}): ServerWithToken {
  return {
    id: '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
    token: new Secret('mcp_token-of-the-test'),
    name: 'Sales',
    description: '',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [{ connectionId: 7, applicationSlug: 'crm', tools: null, identity: 'shared' }],
    workflowTokens: [],
    settings: DEFAULT_SETTINGS,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}
