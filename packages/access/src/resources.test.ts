import { describe, expect, test } from 'vitest';
import { createResources } from './resources.ts';

const resources = createResources('https://api.example');

describe('resources', () => {
  test.each([
    ['https://api.example', 'https://api.example'],
    ['https://api.example/', 'https://api.example'],
    ['HTTPS://API.example:443/', 'https://api.example'],
    ['https://api.example/mcp', 'https://api.example/mcp'],
    ['https://api.example/mcp/', 'https://api.example/mcp'],
  ])('%s is ours', (identifier, canonical) => {
    expect(resources.canonical(identifier)).toBe(canonical);
  });

  test.each([
    'http://api.example',
    'https://api.example.evil.example',
    'https://api.example:8443',
    'https://api.example/v1',
    'https://api.example/MCP',
    'https://api.example/mcp/mcp_token',
    'https://api.example?x=1',
    'https://api.example?',
    'https://api.example#',
    'https://user@api.example',
    'api.example',
    '',
  ])('%s is not', (identifier) => {
    expect(resources.canonical(identifier)).toBeUndefined();
  });
});
