import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@fairlead/service-kit/config';
import { describe, expect, test } from 'vitest';
import { privateFile, temporaryDirectory } from '../testing/agent-process.ts';
import { TOKEN } from '../testing/test-platform.ts';
import { parseArguments } from './arguments.ts';
import { loadAgentConfig } from './config.ts';

/** The configuration in these lines of YAML, plus an address and a token. */
function load(
  yaml = '',
  { args = [], env = {} }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
) {
  const directory = temporaryDirectory();
  const config = privateFile(directory, 'agent.yaml', yaml);
  const token = privateFile(directory, 'token', `${TOKEN}\n`);
  const given = ['--config', config, '--token-file', token, '--url', 'https://fairlead.example', ...args];
  return loadAgentConfig(parseArguments(given), env);
}

/** The message of the ConfigError that `load` throws. */
function messageOf(fail: () => unknown): string {
  try {
    fail();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('the configuration', () => {
  test('has a token, no proxy, no profile, and reaches everything, unless it says otherwise', () => {
    const config = load('', { env: { XDG_STATE_HOME: '/state' } });
    expect(config).toMatchObject({
      url: 'https://fairlead.example',
      network: { onlyTo: null },
      proxy: undefined,
      logs: { directory: '/state/fairlead-agent/logs', maxFileBytes: 10_485_760, maxFiles: 5 },
      shutdownGraceMs: 20_000,
      warnings: [],
    });
    expect(config.token.reveal()).toBe(TOKEN);
    expect(JSON.stringify(config.token)).not.toContain(TOKEN);
  });

  test('has profiles whose values come from the environment or from private files, and are secrets', () => {
    const directory = temporaryDirectory();
    const file = privateFile(directory, 'password', 'from a file\n');
    const { profiles, secrets } = load(
      `
profiles:
  orders: { type: postgresql, host: db, port: 5433, database: orders, user: reader, password: { env: PASSWORD }, sslMode: require }
  people: { type: mysql, host: { env: HOST }, database: people, user: { env: PEOPLE_USER }, password: { file: ${file} } }
  erp: { type: http, baseUrl: 'https://erp/api', headers: { x-key: literal } }
  reports: { type: files, root: ${directory}, isReadOnly: true }
`,
      { env: { PASSWORD: 'from the environment', HOST: 'people.internal', PEOPLE_USER: 'people-reader' } },
    );
    expect(profiles.get('orders')?.fields).toEqual({
      type: 'postgresql',
      host: 'db',
      port: 5433,
      database: 'orders',
      user: 'reader',
      password: 'from the environment',
      sslMode: 'require',
    });
    expect(profiles.get('people')?.fields).toMatchObject({
      host: 'people.internal',
      password: 'from a file',
    });
    expect(secrets).not.toContain('people.internal');
    expect(profiles.get('reports')).toMatchObject({
      type: 'files',
      fields: { root: directory, isReadOnly: true },
    });
    expect(secrets).toEqual(
      expect.arrayContaining([TOKEN, 'from the environment', 'from a file', 'literal', 'people-reader']),
    );
  });

  test('is refused with every problem at once, and without a value', () => {
    const yaml = `
unknown: 1
profiles:
  'bad name': { type: http, baseUrl: 'https://x' }
  a: { type: ftp }
  b: { type: postgresql, host: h, database: d, user: u, password: { env: MISSING }, port: 99999 }
  c: { type: http, baseUrl: 'ftp://hidden-value' }
  d: { type: files, root: relative }
allow: { hosts: ['http://no'], paths: [nowhere] }
proxy: 'socks5://proxy'
caFile: /missing
`;
    const text = messageOf(() => load(yaml));
    for (const part of [
      'unknown',
      'profiles.bad name: ',
      'profiles.a.type: ',
      'profiles.b.password: the environment variable MISSING is not set',
      'profiles.b.port: ',
      'profiles.c.baseUrl: must be an http or https URL',
      'profiles.d.root: must be an absolute path',
      'allow: The egress allow-list entry "http://no"',
      'allow.paths: nowhere',
      'proxy: must be an http or https URL',
      'caFile: /missing cannot be read (ENOENT)',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('hidden-value');
    expect(() => load('a: [')).toThrow('is not valid YAML');
    expect(() => load('[]')).toThrow('must be an object');
  });

  test.each([0o640, 0o604, 0o620, 0o601])(
    'is refused if others may access it, and so are its files',
    (mode) => {
      const directory = temporaryDirectory();
      const path = privateFile(directory, 'agent.yaml', '');
      const token = privateFile(directory, 'token', TOKEN);
      const args = ['--url', 'https://x', '--token-file', token, '--config', path];
      chmodSync(path, mode);
      expect(() => loadAgentConfig(parseArguments(args), {})).toThrow(`chmod 600 ${path}`);
      chmodSync(path, 0o400);
      expect(loadAgentConfig(parseArguments(args), {}).url).toBe('https://x');
      chmodSync(token, mode);
      expect(() => loadAgentConfig(parseArguments(args), {})).toThrow(`token: ${token} has mode`);
      const yaml = `profiles: { a: { type: http, baseUrl: 'http://x', headers: { k: { file: ${token} } } } }`;
      expect(() => load(yaml)).toThrow(`profiles.a.headers.k: ${token} has mode`);
    },
  );

  test('takes http addresses of this machine only, unless that is allowed', () => {
    for (const url of ['http://localhost:8080', 'http://127.0.0.2', 'http://[::1]:1'])
      expect(load('', { args: ['--url', url] }).url).toBe(url);
    for (const url of [
      'http://fairlead.example',
      'http://127.evil.example',
      'ftp://x',
      'https://u:p@x',
      'nothing',
      'https://x?y',
    ])
      expect(() => load('', { args: ['--url', url] })).toThrow('--url: must');
    expect(load('', { args: ['--url', 'http://10.0.0.1/base/', '--allow-http'] }).url).toBe(
      'http://10.0.0.1/base',
    );
  });

  test('needs a token of an agent', () => {
    expect(() => loadAgentConfig(parseArguments(['--url', 'https://x']), {})).toThrow('token: required');
    expect(() => load('', { args: ['--token', 'fl_key'] })).toThrow('token: is not the token of an agent');
    expect(load('', { args: ['--token', TOKEN] }).warnings).toHaveLength(1);
  });

  test('with allow, files are below its paths only, wherever symbolic links lead', () => {
    const directory = temporaryDirectory();
    for (const name of ['open', 'open/inner', 'closed', 'opening']) mkdirSync(join(directory, name));
    symlinkSync(join(directory, 'closed'), join(directory, 'open', 'link'));
    const yaml = (root: string): string =>
      `allow: { hosts: ['db:5432'], cidrs: [10.0.0.0/8], paths: ['${directory}/open'] }\nprofiles: { a: { type: files, root: '${root}' } }`;
    const { network, profiles } = load(yaml(join(directory, 'open/inner')));
    expect(network).toEqual({ onlyTo: ['db:5432', '10.0.0.0/8'] });
    expect(profiles.size).toBe(1);
    for (const root of ['closed', 'opening', 'open/link', 'open/../closed', '.'])
      expect(() => load(yaml(`${directory}/${root}`))).toThrow('is not below one of allow.paths');
    expect(() => load(`allow: {}\nprofiles: { a: { type: files, root: ${directory} } }`)).toThrow(
      'allow.paths',
    );
  });
});

describe('the proxy', () => {
  test('is that of the configuration or the environment, with its credentials', () => {
    const { proxy, secrets } = load(`proxy: { env: WAY_OUT }`, {
      env: { WAY_OUT: 'http://ann:p%40ss@proxy:3128' },
    });
    expect(proxy).toMatchObject({ authorization: `Basic ${btoa('ann:p@ss')}` });
    expect(proxy?.url.href).toBe('http://proxy:3128/');
    expect(secrets).toEqual(expect.arrayContaining(['p@ss', 'p%40ss', btoa('ann:p@ss')]));
    expect(load('', { env: { HTTPS_PROXY: 'proxy:3128' } }).proxy?.url.host).toBe('proxy:3128');
    expect(load('', { env: { https_proxy: 'https://proxy' } }).proxy?.authorization).toBeUndefined();
    expect(load('', { env: { HTTP_PROXY: 'http://proxy' } }).proxy).toBeUndefined();
    expect(load('', { env: { HTTPS_PROXY: '' } }).proxy).toBeUndefined();
  });

  test.each([
    ['fairlead.example', true],
    ['.example', true],
    ['*.example', true],
    ['example', true],
    ['other.example, FAIRLEAD.example', true],
    ['*', true],
    ['fairlead.example:443', true],
    ['fairlead.example:8443', false],
    ['lead.example', false],
    ['fairlead.example.com', false],
    ['', false],
  ])('is not used for hosts of NO_PROXY: %s is %s', (list, isExcepted) => {
    const env = { HTTPS_PROXY: 'http://proxy', NO_PROXY: list };
    expect(load('', { env }).proxy === undefined).toBe(isExcepted);
    const noProxy = list.split(/, */).filter((entry) => entry !== '');
    expect(load(JSON.stringify({ proxy: 'http://proxy', noProxy })).proxy === undefined).toBe(isExcepted);
  });
});

test('arguments that the program does not know are refused', () => {
  expect(() => parseArguments(['--unknown'])).toThrow('--unknown');
  expect(() => parseArguments(['install'])).toThrow('install');
  expect(parseArguments(['check']).command).toBe('check');
  expect(parseArguments(['check', '--help']).command).toBe('help');
  expect(parseArguments(['--version']).command).toBe('version');
});
