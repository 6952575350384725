import { expect, test } from 'vitest';
import { requireServerUrl } from './mcp-sign-in.ts';

test.each(['http://mcp.example/mcp', 'http://127.0.0.1.example/mcp', 'http://10.0.0.1/mcp'])(
  'an access token is not sent unencrypted: %s is refused',
  (serverUrl) => {
    expect(() => requireServerUrl({ serverUrl })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [expect.objectContaining({ field: 'fields.serverUrl' })],
      }),
    );
  },
);

test.each([
  'https://mcp.example/mcp',
  'http://127.0.0.1:3000/mcp',
  'http://localhost/mcp',
  'http://[::1]/mcp',
])('%s may be signed in at', (serverUrl) => {
  expect(requireServerUrl({ serverUrl }).href).toBe(serverUrl);
});
