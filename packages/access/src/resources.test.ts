import { describe, expect, test } from 'vitest';
import { createResources } from './resources.ts';

const SERVER = '0b7c1c1e-6f0e-4d0a-9d39-2f6d1f5b8a10';
const resources = createResources('https://api.example');

describe('resources', () => {
  test.each([
    ['https://api.example', 'https://api.example'],
    ['https://api.example/', 'https://api.example'],
    ['HTTPS://API.example:443/', 'https://api.example'],
    ['https://api.example/mcp', 'https://api.example/mcp'],
    ['https://api.example/mcp/', 'https://api.example/mcp'],
    [`https://api.example/mcp/s/${SERVER}/mcp`, `https://api.example/mcp/s/${SERVER}/mcp`],
    [`https://API.example:443/mcp/s/${SERVER}/mcp/`, `https://api.example/mcp/s/${SERVER}/mcp`],
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
    'https://api.example/mcp/mcp_token/mcp',
    `https://api.example/mcp/s/${SERVER}`,
    `https://api.example/mcp/s/${SERVER}/sse`,
    `https://api.example/mcp/s/${SERVER}/mcp?x=1`,
    `https://api.example/mcp/s/${SERVER.toUpperCase()}/mcp`,
    `https://api.example/x/s/${SERVER}/mcp`,
    `https://evil.example/mcp/s/${SERVER}/mcp`,
    'https://api.example/mcp/s/1/mcp',
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
