import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, resolveConfig } from './config.ts';
import { connectorClient, testConfig } from './testing/sandbox.ts';

const environment = {
  API_TOKEN: 'api-token-1',
  ADMIN_KEY: 'admin-key-1',
  USER_EMAIL: 'sam@harbour.example',
  USER_PASSWORD: 'correct horse',
  OAUTH_CLIENTS: JSON.stringify([
    {
      clientId: 'connector',
      clientSecret: 'connector-secret',
      redirectUris: ['http://127.0.0.1:8080/connect/callback'],
    },
  ]),
};

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('environment', () => {
  test('needs only what has no sensible default', () => {
    expect(loadConfig({ ...environment, PUBLIC_URL: '', DATA_DIRECTORY: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 4010,
      accessTokenTtlSeconds: 3600,
      refreshReuseGraceSeconds: 30,
      logLevel: 'info',
      user: { email: 'sam@harbour.example', password: 'correct horse' },
      oauthClients: [{ clientId: 'connector' }],
    });
  });

  test('every problem is reported at once, with the name of its variable', () => {
    const problems = problemsOf(() =>
      loadConfig({
        ...environment,
        PORT: 'x',
        API_TOKEN: undefined,
        OAUTH_CLIENTS: '{',
        PUBLIC_URL: 'http://a.example/x',
      }),
    );
    expect(new Set(problems.map((line) => line.split(':')[0]))).toEqual(
      new Set(['API_TOKEN', 'OAUTH_CLIENTS', 'PORT', 'PUBLIC_URL']),
    );
  });

  test('a fault inside the client list is reported with its place', () => {
    const clients = JSON.stringify([
      { clientId: 'a', clientSecret: 'long enough', redirectUris: ['app://x'] },
    ]);
    expect(problemsOf(() => loadConfig({ ...environment, OAUTH_CLIENTS: clients }))).toEqual([
      expect.stringMatching(/^OAUTH_CLIENTS\.0\.redirectUris\.0: /),
    ]);
  });
});

test('two OAuth clients of one id are refused', () => {
  const oauthClients = [connectorClient, { ...connectorClient, clientSecret: 'another secret' }];
  expect(problemsOf(() => resolveConfig({ ...testConfig, oauthClients }))).toEqual([
    'oauthClients: client ids must be unique',
  ]);
});
