import { describe, expect, test } from 'vitest';
import { DEFAULT_SCOPES, parseScopes } from './scopes.ts';

describe('scopes', () => {
  test('by default a client reads and executes tools, and administrates nothing', () => {
    expect(DEFAULT_SCOPES).toEqual([
      'connections.read',
      'tools.read',
      'tools.execute',
      'triggers.read',
      'agents.read',
      'mcpServers.read',
    ]);
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
