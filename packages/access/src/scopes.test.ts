import { describe, expect, test } from 'vitest';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { SCOPES } from './permissions.ts';
import { DEFAULT_SCOPES, parseScopes, SERVED_SCOPES } from './scopes.ts';

describe('scopes', () => {
  test('by default a client reads and executes tools, and administrates nothing', () => {
    const everywhere = ['connections.read', 'tools.read', 'tools.execute', 'triggers.read'];
    expect(DEFAULT_SCOPES).toEqual([
      ...everywhere,
      ...['agents.read', 'mcpServers.read'].filter((scope) => SERVED_SCOPES.some((one) => one === scope)),
    ]);
  });

  test('a scope is served if its service is there', () => {
    const has = (service: string): boolean => SERVICE_NAMES.some((name) => name === service);
    const absent = SCOPES.filter((scope) => !SERVED_SCOPES.includes(scope));
    expect(absent.filter((scope) => scope.startsWith('agents.'))).toHaveLength(has('agents') ? 0 : 2);
    expect(absent.filter((scope) => scope.startsWith('mcpServers.'))).toHaveLength(has('mcp') ? 0 : 2);
    expect(absent.filter((scope) => !/^(?:agents|mcpServers)\./.test(scope))).toEqual([]);
  });

  test('of a list of them ours are read, each once; others are left out', () => {
    expect(parseScopes('openid tools.write offline_access tools.write nonsense administration')).toEqual([
      'tools.write',
      'administration',
    ]);
    expect(parseScopes(undefined)).toEqual([]);
    expect(parseScopes('')).toEqual([]);
    expect(parseScopes('TOOLS.READ')).toEqual([]);
  });
});
